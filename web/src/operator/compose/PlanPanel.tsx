import { Card, DataTable, Empty, Notice, upperFirst } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import type { StudyCheck } from "../api";
import { ClaimFacts } from "../studies/Claim";
import { costText } from "../studies/wording";

/** A study's plan and cost: the data each site sends, their form, and who learns what. */
export function PlanPanel({
  check,
  isStale,
}: {
  readonly check: StudyCheck | null;
  readonly isStale: boolean;
}) {
  const plan = check?.plan ?? null;
  if (check === null || plan === null) {
    return (
      <Empty title="The plan appears once the file has no errors.">
        <p>It shows the data each site would send, their form, who learns what, and the privacy cost.</p>
      </Empty>
    );
  }
  return (
    <div aria-busy={isStale}>
      {isStale ? (
        <p className="muted" role="status">
          This plan is for an earlier version of the file.
        </p>
      ) : null}
      <Card title="Plan: privacy">
        <ClaimFacts claim={plan.claim} />
      </Card>
      {plan.warnings.length === 0 ? null : (
        <Notice tone="warn" title="Before you start">
          <ul>
            {plan.warnings.map((warning) => (
              <li key={warning}>{upperFirst(warning)}.</li>
            ))}
          </ul>
        </Notice>
      )}
      <Card title="Plan: data sent by each site">
        <p>
          At most {formatBytes(plan.uploadBytesPerSite)} from each site, in {plan.stages.length}{" "}
          {plan.stages.length === 1 ? "stage" : "stages"}. A repeated attempt sends the stage's data again and
          costs the same again.
        </p>
        <DataTable
          caption="Stages"
          hideCaption
          columns={[
            { title: "Stage", cell: (stage) => stage.id },
            { title: "Data sent", cell: ({ disclosure }) => <Long text={disclosure.what} /> },
            { title: "Form", cell: ({ disclosure }) => disclosure.form },
            { title: "Who learns what", cell: ({ disclosure }) => <Long text={disclosure.learns} /> },
            { title: "Protection", cell: ({ disclosure }) => <Long text={disclosure.mechanism} /> },
            { title: "Cost", cell: ({ disclosure }) => costText(disclosure.cost) },
            { title: "Bytes", cell: (stage) => formatBytes(stage.uploadBytes), number: true },
          ]}
          rows={plan.stages}
          keyOf={(stage) => stage.id}
        />
      </Card>
      <Card title="Plan: dropout tolerance">
        <DataTable
          caption="Number of sites that must remain to the end of every sum"
          columns={[
            { title: "Participating sites", cell: ({ sites }) => sites },
            { title: "Must remain", cell: ({ threshold }) => threshold, number: true },
            { title: "May drop out", cell: ({ sites, threshold }) => sites - threshold, number: true },
          ]}
          rows={plan.thresholds}
          keyOf={({ sites }) => String(sites)}
        />
      </Card>
    </div>
  );
}

function Long({ text }: { readonly text: string }) {
  return <div className="long">{upperFirst(text)}</div>;
}
