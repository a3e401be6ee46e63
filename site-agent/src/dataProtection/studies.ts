import type { ProtectionEgress } from "@consilium/core/hospital/dataProtectionViews";
import type { StudyAsked } from "@consilium/core/hospital/protectionFacts";
import { planStudy } from "@consilium/core/study/plan";
import { nothing, plus, type Spent } from "@consilium/gate/account";
import { shownDelta } from "../ledger/accounts.js";
import { archivedOf } from "../ledger/archived.js";
import type { EgressEntry } from "../ledger/egressLog.js";
import { epsilonOf, shownUp } from "../ledger/epsilon.js";
import { shownDigits } from "../ledger/views.js";
import { chargedUnitOf } from "../policy/chargedUnit.js";
import { populationOf } from "../policy/policy.js";
import { inWords } from "../studies/statusWords.js";
import type { SiteFacts, StudyFacts } from "./facts.js";

/** Every study that was asked here: who decided, and what it cost and sent. Newest first. */
export function studiesAsked(facts: SiteFacts): StudyAsked[] {
  const left = new Map<string, EgressEntry[]>(facts.studies.map(({ record }) => [record.id, []]));
  for (const entry of facts.egress) if (entry.study !== null) left.get(entry.study)?.push(entry);
  return facts.studies.map((asked) => studyAsked(facts, asked, left.get(asked.record.id)!));
}

function studyAsked(facts: SiteFacts, asked: StudyFacts, egress: readonly EgressEntry[]): StudyAsked {
  const { record, study, approval } = asked;
  const permissions = { policy: facts.policy, tables: facts.knownTables };
  return {
    id: record.id,
    name: record.name,
    status: record.status,
    words: inWords(record),
    joined: record.exchangeKey !== null,
    text: record.text,
    hash: record.hash,
    offeredAt: record.firstSeenAt,
    endedAt: record.endedAt,
    code: record.localCode,
    approval: approval && {
      decision: approval.decision,
      decidedAt: approval.decidedAt,
      decidedBy: approval.decidedBy,
      reason: approval.reason,
    },
    population: populationOf(facts.policy, study.table)?.name ?? null,
    chargedUnit: chargedUnitOf(study, planStudy(study), permissions),
    spent: spentOn(facts, asked),
    left: egressTotals(egress),
  };
}

/** What the ledger has committed for the study, at the δ of the population that it was charged to. */
function spentOn({ ledger, policy }: SiteFacts, { record, study }: StudyFacts): StudyAsked["spent"] {
  const committed = ledger.totals.stagesOf(record.id).filter(({ state }) => state === "committed");
  // A study's entries are archived together.
  const archived = archivedOf(ledger.entries())?.studies.find((one) => one.study === record.id);
  const spent = archived ?? committed.reduce<Spent>((sum, { rho }) => plus(sum, rho), nothing);
  const delta = populationOf(policy, study.table)?.delta ?? shownDelta;
  return { epsilon: shownUp(epsilonOf(spent, delta), shownDigits), delta, unproved: spent.unbounded };
}

/** Messages by kind and recipient, in the order in which the first of each kind left. */
function egressTotals(log: readonly EgressEntry[]): ProtectionEgress[] {
  const totals = new Map<string, ProtectionEgress>();
  for (const { what, whom, messages, bytes, charge } of log) {
    const key = JSON.stringify([what, whom]);
    const before = totals.get(key) ?? { what, whom, messages: 0, bytes: 0, charged: false };
    totals.set(key, {
      what,
      whom,
      messages: before.messages + messages,
      bytes: before.bytes + bytes,
      charged: before.charged || charge !== null,
    });
  }
  return [...totals.values()];
}
