import { ConsiliumError } from "@consilium/core/errors";
import type {
  DataProtectionScope,
  DataProtectionView,
  ProtectionStudy,
} from "@consilium/core/hospital/dataProtectionViews";
import type { SiteFacts } from "./facts.js";
import { flowsOf } from "./flows.js";
import { guaranteesOf, notCovered } from "./guarantees.js";
import { gapsOf, measuresOf } from "./measures.js";
import { officersPart } from "./officer.js";
import { retentionOf } from "./retention.js";
import { comesIn, neverLeaves, notFlowing, recipientsOf } from "./staying.js";

/**
 * What a data-protection officer needs of this site, from what its agent says of configuration, policy, ledger and
 * egress log. A pure function: the same facts give the same document. No value of a table and no number of its rows is
 * in it.
 * @throws ConsiliumError STUDY_UNKNOWN
 */
export function dataProtectionDocument(
  facts: SiteFacts,
  scope: DataProtectionScope = {},
): DataProtectionView {
  const { identity, config, agent, tables, populations } = facts;
  const studies = facts.studies.filter((one) => isListed(one, scope));
  if (scope.study !== undefined && studies.length === 0)
    throw new ConsiliumError("STUDY_UNKNOWN", `no study ${scope.study} has been offered to this hospital`, {
      remedy: "`consilium site studies` lists them; with --since, it must not have ended before that day",
    });
  return {
    madeAt: new Date(facts.at).toISOString(),
    software: facts.software,
    aggregatorSoftware: agent?.aggregatorSoftware ?? null,
    madeFrom: agent === null ? "at rest" : "running agent",
    hospital: {
      site: identity.site,
      federation: identity.federation,
      aggregator: config.aggregator,
      rootFingerprint: identity.rootFingerprint,
      signingKeyFingerprint: identity.signingKeyFingerprint,
      certificateExpiresAt: new Date(identity.notAfter).toISOString(),
    },
    tables,
    studies,
    studiesLeftOut: facts.studies.length - studies.length,
    studiesWithoutText: facts.withoutText,
    flows: flowsOf(facts),
    notFlowing: notFlowing(facts),
    neverLeaves: neverLeaves(facts),
    comesIn: comesIn(),
    recipients: recipientsOf(facts),
    guarantees: guaranteesOf(facts),
    populations,
    notCovered: notCovered(facts),
    retention: retentionOf(facts),
    measures: measuresOf(facts),
    gaps: gapsOf(facts),
    officer: officersPart(),
  };
}

function isListed({ id, endedAt }: ProtectionStudy, { study, since }: DataProtectionScope): boolean {
  return (
    (study === undefined || id === study) && (since === undefined || endedAt === null || endedAt >= since)
  );
}
