import { Card, DataTable, Empty, Notice, upperFirst } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import type { StudyCheck } from "../api";
import { ClaimFacts } from "../studies/Claim";
import { costText } from "../studies/wording";

/** What a study would do and cost: what leaves each site, in what form, and who learns what. */
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
      <Empty title="The plan comes as soon as the file has no fault.">
        <p>It says what would leave each site, in what form, who learns what, and what it costs.</p>
      </Empty>
    );
  }
  return (
    <div aria-busy={isStale}>
      {isStale ? (
        <p className="muted" role="status">
          This is the plan of the file a moment ago.
        </p>
      ) : null}
      <Card title="Plan: privacy">
        <ClaimFacts claim={plan.claim} />
      </Card>
      {plan.warnings.length === 0 ? null : (
        <Notice tone="warn" title="Before you start it">
          <ul>
            {plan.warnings.map((warning) => (
              <li key={warning}>{upperFirst(warning)}.</li>
            ))}
          </ul>
        </Notice>
      )}
      <Card title="Plan: what leaves each site">
        <p>
          At most {formatBytes(plan.uploadBytesPerSite)} from each site, in {plan.stages.length}{" "}
          {plan.stages.length === 1 ? "stage" : "stages"}. An attempt that is repeated sends, and costs, its
          stage again.
        </p>
        <DataTable
          caption="Stages"
          hideCaption
          columns={[
            { title: "Stage", cell: (stage) => stage.id },
            { title: "What leaves", cell: ({ disclosure }) => <Long text={disclosure.what} /> },
            { title: "In what form", cell: ({ disclosure }) => disclosure.form },
            { title: "Who learns what", cell: ({ disclosure }) => <Long text={disclosure.learns} /> },
            { title: "Protection", cell: ({ disclosure }) => <Long text={disclosure.mechanism} /> },
            { title: "Cost", cell: ({ disclosure }) => costText(disclosure.cost) },
            { title: "Bytes", cell: (stage) => formatBytes(stage.uploadBytes), number: true },
          ]}
          rows={plan.stages}
          keyOf={(stage) => stage.id}
        />
      </Card>
      <Card title="Plan: how many sites must stay">
        <DataTable
          caption="Of so many sites that take part, how many must stay to the end of every sum"
          columns={[
            { title: "Sites that take part", cell: ({ sites }) => sites },
            { title: "Must stay", cell: ({ threshold }) => threshold, number: true },
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
