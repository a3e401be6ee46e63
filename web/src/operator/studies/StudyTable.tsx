import type { StudySummary } from "@consilium/core/operator/views";
import { Link } from "wouter";
import { Ago, DataTable } from "../../shared/components";
import { formatDuration } from "../../shared/format";
import { t } from "../../shared/language";
import { Verdict } from "../../shared/Verdict";
import { StudyBadge } from "./StudyBadge";
import { shortAnalysisName, variantWords } from "./wording";

/** When it ended, and how long it took. */
function Ended({ study: { createdAt, endedAt } }: { readonly study: StudySummary }) {
  if (endedAt === null) return "–";
  const duration = formatDuration(Date.parse(endedAt) - Date.parse(createdAt));
  return (
    <>
      <Ago iso={endedAt} />
      <br />
      <span className="muted">{t("after {duration}", { duration })}</span>
    </>
  );
}

/** Which studies are chosen, by id. */
export interface StudyChoice {
  readonly ids: readonly string[];
  readonly onToggle: (id: string, isIn: boolean) => void;
}

export function StudyTable(props: {
  readonly studies: readonly StudySummary[];
  readonly caption: string;
  /** Left out: none can be chosen. */
  readonly choice?: StudyChoice;
}) {
  const { choice } = props;
  return (
    <DataTable
      caption={props.caption}
      hideCaption
      columns={[
        {
          title: t("Study"),
          cell: ({ id }) => (
            <span className="sentence">
              {choice === undefined ? null : (
                <input
                  type="checkbox"
                  style={{ marginInlineEnd: "0.5rem" }}
                  aria-label={t("Compare {id}", { id })}
                  checked={choice.ids.includes(id)}
                  onChange={({ target }) => choice.onToggle(id, target.checked)}
                />
              )}
              <Link href={`/studies/${id}`}>{id}</Link>
            </span>
          ),
        },
        {
          title: t("Status"),
          cell: (study) => <StudyBadge study={study} />,
        },
        {
          title: t("Analysis, privacy"),
          cell: (study) => (
            <>
              {shortAnalysisName(study.analysis)}{" "}
              <span className="muted">
                {study.method}
                {study.variant === "paper" ? `, ${variantWords(study.variant)}` : null}
              </span>
              <br />
              <Verdict of={study.verdict} />
            </>
          ),
        },
        { title: t("Sites"), cell: (study) => study.sites, number: true },
        { title: t("Started"), cell: (study) => <Ago iso={study.createdAt} /> },
        { title: t("Ended"), cell: (study) => <Ended study={study} /> },
      ]}
      rows={props.studies}
      keyOf={(study) => study.id}
      empty={t("No studies match.")}
    />
  );
}
