import type { DecisionView, PolicyCheckView } from "@consilium/core/hospital/policyViews";
import { Link } from "wouter";
import { Badge, Card, DataTable, Notice, type Tone } from "../../shared/components";
import { Reason } from "../../shared/failureWords";
import { formatDelta } from "../../shared/format";
import { served, t } from "../../shared/language";
import { shown } from "../studies/privacyWords";

const outcomes: Readonly<Record<DecisionView["outcome"], { readonly tone: Tone; readonly text: string }>> = {
  refused: {
    tone: "bad",
    get text() {
      return t("refused by a rule");
    },
  },
  person: {
    tone: "warn",
    get text() {
      return t("needs manual approval");
    },
  },
  automatic: {
    tone: "info",
    get text() {
      return t("joins automatically");
    },
  },
};

/** The effect of the text on budgets and on every waiting study. */
export function DryRun({
  view,
  isOther,
}: {
  readonly view: PolicyCheckView | null;
  readonly isOther: boolean;
}) {
  if (view === null || view.faults.length > 0) return null;
  return (
    <Card title={isOther ? t("Effect of your change") : t("Effect on waiting studies")}>
      {view.warnings.map((warning) => (
        <Notice key={warning} tone="warn" title={served(warning)} />
      ))}
      <DataTable
        caption={t("Waiting studies under this policy")}
        hideCaption
        columns={[
          { title: t("Study"), cell: (one) => <Link href={`/studies/${one.id}`}>{one.name}</Link> },
          {
            title: t("Cost"),
            cell: (one) =>
              one.claim.verdict === "proved"
                ? t("{epsilon} at δ {delta}", {
                    epsilon: `ε ${shown(one.claim.epsilon ?? 0)}`,
                    delta: formatDelta(one.claim.delta ?? 0),
                  })
                : served(one.claim.verdict),
          },
          {
            title: t("Now"),
            cell: (one) =>
              one.present === null ? t("refused: the file has errors") : <Outcome of={one.present} />,
          },
          { title: t("With this policy"), cell: (one) => <Outcome of={one.edited} /> },
          { title: t("Reason"), cell: (one) => <Reason text={one.edited.words} code={one.edited.code} /> },
        ]}
        rows={view.waiting}
        keyOf={(one) => one.id}
        empty={t("No studies are waiting for approval.")}
      />
      {view.waiting.length === 0 ? null : (
        <p className="muted">
          {t(
            "Waiting studies keep waiting when the policy is saved; the policy at the time of approval applies to them. New studies are decided by the policy when they are offered. Budget and table rows are checked when the hospital joins a study.",
          )}
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
