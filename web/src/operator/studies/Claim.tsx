import type { StudyView } from "@consilium/core/operator/views";
import { epsilonText } from "@consilium/core/release/wording";
import { Badge, Card, Facts, upperFirst } from "../../shared/components";
import { costText, verdictTones } from "./wording";

/** Beside zCDP's; null where it is not proved, or is the cost itself. */
function exactText({ lossDistribution, isExact }: StudyView["claim"]): string | null {
  if (lossDistribution === undefined || isExact) return null;
  return `ε ${epsilonText(lossDistribution.epsilon)}, if each stage takes place once; budgets are charged by zCDP`;
}

/** What a study's privacy is worth, and why. */
export function Claim({ claim }: { readonly claim: StudyView["claim"] }) {
  return (
    <Card title="Privacy">
      <ClaimFacts claim={claim} />
    </Card>
  );
}

export function ClaimFacts({ claim }: { readonly claim: StudyView["claim"] }) {
  return (
    <>
      <p>
        <Badge tone={verdictTones[claim.verdict]}>{claim.verdict}</Badge>
      </p>
      <Facts
        of={[
          ["Cost", costText(claim)],
          ["Exact cost", exactText(claim)],
          ["Protects", claim.unit],
          ["Neighbours", claim.neighbouringRelation],
          ["Proof", claim.proof],
        ]}
      />
      {claim.reasons.length === 0 ? null : (
        <>
          <p>Why the claim is not to be relied on:</p>
          <ul>
            {claim.reasons.map((reason) => (
              <li key={reason}>{upperFirst(reason)}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
