import type { DecisionView, PolicyCheckView } from "@consilium/core/hospital/policyViews";
import { Link } from "wouter";
import { Badge, Card, DataTable, Notice, type Tone } from "../../shared/components";
import { shown } from "../studies/privacyWords";

const outcomes: Readonly<Record<DecisionView["outcome"], { readonly tone: Tone; readonly text: string }>> = {
  refused: { tone: "bad", text: "refused by a rule" },
  person: { tone: "warn", text: "waits for a person" },
  automatic: { tone: "info", text: "joins by itself" },
};

/** What the text would mean: for budgets, and for every study that waits. */
export function DryRun({
  view,
  isOther,
}: {
  readonly view: PolicyCheckView | null;
  readonly isOther: boolean;
}) {
  if (view === null || view.faults.length > 0) return null;
  return (
    <Card title={isOther ? "What your change would mean" : "What it means for the studies that wait"}>
      {view.warnings.map((warning) => (
        <Notice key={warning} tone="warn" title={warning} />
      ))}
      <DataTable
        caption="Studies that wait for a decision, under this text"
        hideCaption
        columns={[
          { title: "Study", cell: (one) => <Link href={`/studies/${one.id}`}>{one.name}</Link> },
          {
            title: "Costs",
            cell: (one) =>
              one.claim.verdict === "proved" ? `ε ${shown(one.claim.epsilon ?? 0)}` : one.claim.verdict,
          },
          {
            title: "Now",
            cell: (one) =>
              one.present === null ? "refused: the file has faults" : <Outcome of={one.present} />,
          },
          { title: "With this text", cell: (one) => <Outcome of={one.edited} /> },
          { title: "Why", cell: (one) => one.edited.words },
        ]}
        rows={view.waiting}
        keyOf={(one) => one.id}
        empty="No study waits for a decision at the moment."
      />
      {view.waiting.length === 0 ? null : (
        <p className="muted">
          A study that waits goes on waiting when the policy is saved; approving it judges it by the policy as
          it stands then. A new study is decided by the policy when it is offered. The budget and the table's
          rows are judged when a study is joined.
        </p>
      )}
    </Card>
  );
}

function Outcome({ of }: { readonly of: DecisionView }) {
  const { tone, text } = outcomes[of.outcome];
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      <br />
      <code>{of.rule}</code>
    </>
  );
}
