import { Badge, ConfirmDialog, Facts, upperFirst } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { aggregator, type StudyCheck, type StudyPlan } from "../api";
import { costText, verdictTones, verdictWords } from "../studies/wording";

/** The confirmation before a study is offered to the sites. */
export function StartDialog(props: {
  readonly text: string;
  readonly plan: StudyPlan;
  readonly sites: StudyCheck["sites"];
  readonly onStarted: (study: { readonly id: string }) => void;
  readonly onClose: () => void;
}) {
  const { plan, sites } = props;
  const { claim } = plan;
  return (
    <ConfirmDialog
      title={`Start ${plan.name}?`}
      confirm="Start study"
      onConfirm={async () => {
        props.onStarted(await aggregator.start(props.text));
      }}
      onClose={props.onClose}
    >
      <p>
        It is offered to {sites.asked.length} sites, {sites.online} of them online. Each site applies its own
        policy and charges its own ledger.
      </p>
      <Facts
        of={[
          [
            "Privacy",
            <Badge key="verdict" tone={verdictTones[claim.verdict]}>
              {verdictWords(claim.verdict)}
            </Badge>,
          ],
          ["Cost", costText(claim)],
          ["Protects", claim.unit],
          ["Sites", sites.asked.join(", ")],
          ["From each", `at most ${formatBytes(plan.uploadBytesPerSite)}, in ${plan.stages.length} stages`],
        ]}
      />
      {claim.reasons.length === 0 ? null : (
        <>
          <p>Why the claim is not reliable:</p>
          <ul>
            {claim.reasons.map((reason) => (
              <li key={reason}>{upperFirst(reason)}</li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}
