import type { StudyView } from "@consilium/core/operator/views";
import { Link } from "wouter";
import { Card, Facts } from "../../shared/components";
import { proofAddress } from "../../shared/documents/documents";
import { formatEpsilon } from "../../shared/format";
import { Served, served, t, upperFirst } from "../../shared/language";
import { Verdict } from "../../shared/Verdict";
import { costText } from "./wording";

/** In addition to zCDP's; null if it is not proven, or is the cost itself. */
function exactText({ lossDistribution, isExact }: StudyView["claim"]): string | null {
  if (lossDistribution === undefined || isExact) return null;
  return t("ε {epsilon}, if each stage runs once; budgets are charged by zCDP", {
    epsilon: formatEpsilon(lossDistribution.epsilon),
  });
}

/** A study's privacy claim, and its justification. */
export function Claim(props: {
  readonly claim: StudyView["claim"];
  /** What a study that ended without a release may have cost; null for another. */
  readonly charged: string | null;
}) {
  const { claim, charged } = props;
  return (
    <Card title={charged === null ? t("Privacy") : t("Privacy, as planned")}>
      {charged === null ? null : <Facts of={[[t("Charged to sites"), charged]]} />}
      <ClaimFacts claim={claim} />
    </Card>
  );
}

/** A document's place is shown as it is called, and leads there. */
function Proof({ proof }: { readonly proof: string }) {
  const address = proofAddress(proof, "/help");
  return address === null ? <Served text={proof} /> : <Link href={address}>{proof}</Link>;
}

export function ClaimFacts({ claim }: { readonly claim: StudyView["claim"] }) {
  return (
    <>
      <p>
        <Verdict of={claim.verdict} />
      </p>
      <Facts
        of={[
          [t("Cost"), costText(claim)],
          [t("Exact cost"), exactText(claim)],
          [t("Protects"), served(claim.unit)],
          [t("Unit of privacy"), served(claim.neighbouringRelation)],
          [t("Proof"), claim.proof === null ? null : <Proof key="proof" proof={claim.proof} />],
        ]}
      />
      {claim.reasons.length === 0 ? null : (
        <>
          <p>{t("Why the claim is not reliable:")}</p>
          <ul>
            {claim.reasons.map((reason) => (
              <li key={reason}>
                <Served text={upperFirst(reason)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
