import type { StudyView } from "@consilium/core/operator/views";
import { Badge, Card, Facts, upperFirst } from "../../shared/components";
import { costText, verdictTones } from "./wording";

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
