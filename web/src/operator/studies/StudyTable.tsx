import type { StudySummary } from "@consilium/core/operator/views";
import { Link } from "wouter";
import { Ago, DataTable } from "../../shared/components";
import { StudyBadge } from "./StudyBadge";
import { analysisName } from "./wording";

export function StudyTable(props: { readonly studies: readonly StudySummary[]; readonly caption: string }) {
  return (
    <DataTable
      caption={props.caption}
      hideCaption
      columns={[
        {
          title: "Study",
          cell: ({ id }) => (
            <Link className="one-line" href={`/studies/${id}`}>
              {id}
            </Link>
          ),
        },
        {
          title: "Status",
          cell: (study) => <StudyBadge study={study} />,
        },
        {
          title: "Analysis",
          cell: (study) => (
            <>
              {analysisName(study.analysis)}{" "}
              <span className="muted">
                {study.method}, {study.variant}
              </span>
            </>
          ),
        },
        { title: "Sites", cell: (study) => study.sites, number: true },
        { title: "Started", cell: (study) => <Ago iso={study.createdAt} /> },
        { title: "Ended", cell: (study) => (study.endedAt === null ? "–" : <Ago iso={study.endedAt} />) },
      ]}
      rows={props.studies}
      keyOf={(study) => study.id}
      empty="No studies match."
    />
  );
}
