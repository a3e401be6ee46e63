import type { ProtectionEgress, ProtectionStudy } from "@consilium/core/hospital/dataProtectionViews";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import type { Spent } from "@consilium/gate/account";
import { nothing, plus } from "@consilium/gate/account";
import { shownDelta } from "../ledger/accounts.js";
import type { EgressEntry } from "../ledger/egressLog.js";
import { epsilonOf, shownUp } from "../ledger/epsilon.js";
import { shownDigits } from "../ledger/views.js";
import { type ChargedUnit, costWords, leavingViews } from "../policy/explain.js";
import { chargedTo } from "../policy/judge.js";
import { populationOf } from "../policy/policy.js";
import { inWords } from "../studies/joining.js";
import type { SiteFacts, StudyFacts } from "./facts.js";

/** Every study that was asked here: what for, who decided, what it disclosed and what it cost. Newest first. */
export function studiesAsked(facts: SiteFacts): ProtectionStudy[] {
  const left = new Map<string, EgressEntry[]>(facts.studies.map(({ record }) => [record.id, []]));
  for (const entry of facts.egress) if (entry.study !== null) left.get(entry.study)?.push(entry);
  return facts.studies.map((asked) => studyAsked(facts, asked, left.get(asked.record.id)!));
}

function studyAsked(facts: SiteFacts, asked: StudyFacts, egress: readonly EgressEntry[]): ProtectionStudy {
  const { record, study } = asked;
  const plan = planStudy(study);
  const { name, status } = record;
  const { title, description, creator, access } = study.release;
  const { minimumSites, tolerateColluding, maxRowsPerSite } = study.participation;
  return {
    id: record.id,
    name,
    status,
    words: inWords(record),
    joined: record.exchangeKey !== null,
    title: title ?? null,
    description: description ?? null,
    creator: creator ?? null,
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    table: study.table,
    population: populationOf(facts.policy, study.table)?.name ?? "none",
    columns: columnsOf(study),
    patient:
      study.patient === undefined ? null : { column: study.patient.column, maxRows: study.patient.maxRows },
    maxRows: maxRowsPerSite,
    minimumSites,
    withstands: plan.masking === "dealer" ? 0 : tolerateColluding,
    readers: access,
    offeredAt: new Date(record.firstSeenAt).toISOString(),
    endedAt: record.endedAt === null ? null : new Date(record.endedAt).toISOString(),
    decision: decisionOf(asked),
    claim: plan.claim,
    leaving: leavingViews(study, plan),
    cost: costWords(plan, chargedUnitOf(facts, study, plan)),
    spent: spentOn(facts, asked),
    left: egressTotals(egress),
  };
}

/** Null where this hospital would refuse it by now. */
function chargedUnitOf({ policy, knownTables }: SiteFacts, study: Study, plan: Plan): ChargedUnit | null {
  const charged = chargedTo(study, plan, { policy, tables: knownTables });
  return charged.ok ? { ...charged.value, delta: charged.value.population.delta } : null;
}

function columnsOf(study: Study) {
  return [
    ...study.features.map(({ name, type }) => ({ name, type })),
    ...(study.label === undefined ? [] : [{ name: study.label.name, type: "label" }]),
  ];
}

function decisionOf({ record, approval }: StudyFacts): ProtectionStudy["decision"] {
  if (approval !== null && approval.decision !== null) {
    const { decision, decidedBy, decidedAt, reason } = approval;
    return {
      outcome: decision === "approved" ? "joined" : "refused",
      person: decidedBy ?? "a person whose name was not kept",
      at: decidedAt === null ? null : new Date(decidedAt).toISOString(),
      code: decision === "approved" ? null : record.localCode,
      reason,
    };
  }
  const byRule = { person: null, at: null, reason: null };
  if (record.exchangeKey !== null) return { ...byRule, outcome: "joined", code: null };
  if (record.localCode !== null && record.status !== "waiting for approval")
    return { ...byRule, outcome: "refused", code: record.localCode };
  return { ...byRule, outcome: "open", code: null };
}

/** What the ledger has committed for the study, at the δ of the population that it was charged to. */
function spentOn({ ledger, policy }: SiteFacts, { record, study }: StudyFacts): ProtectionStudy["spent"] {
  const committed = ledger.totals.stagesOf(record.id).filter(({ state }) => state === "committed");
  const spent = committed.reduce<Spent>((sum, { rho }) => plus(sum, rho), nothing);
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
