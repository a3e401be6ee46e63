import type { DataProtectionView } from "@consilium/core/hospital/dataProtectionViews";
import { populationViews } from "../ledger/views.js";
import type { SiteFacts } from "./facts.js";
import { flowsOf } from "./flows.js";
import { guaranteesOf, notCovered } from "./guarantees.js";
import { gapsOf, measuresOf } from "./measures.js";
import { officersPart } from "./officer.js";
import { studiesAsked } from "./purposes.js";
import { retentionOf } from "./retention.js";
import { comesIn, neverLeaves, notFlowing, recipientsOf } from "./staying.js";
import { tablesNamed } from "./tables.js";

/**
 * What a data-protection officer needs of this site, from its configuration, policy, ledger and log of what left. A pure
 * function: the same facts give the same document. No value of a table and no number of its rows is in it.
 */
export function dataProtectionDocument(facts: SiteFacts): DataProtectionView {
  const { identity, config, agent } = facts;
  const populations = populationViews(facts.ledger, facts.policy, facts.knownTables);
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
    tables: tablesNamed(facts),
    studies: studiesAsked(facts),
    studiesWithoutText: facts.withoutText.map((one) => ({ ...one })),
    flows: flowsOf(facts),
    notFlowing: notFlowing(facts),
    neverLeaves: neverLeaves(facts),
    comesIn: comesIn(),
    recipients: recipientsOf(facts),
    guarantees: guaranteesOf(facts, populations),
    populations,
    notCovered: notCovered(facts),
    retention: retentionOf(facts),
    measures: measuresOf(facts),
    gaps: gapsOf(facts),
    officer: officersPart(),
  };
}
