import type { Query, Section } from "@consilium/gate/query";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { SetupStep } from "@consilium/secure-sum/setupSteps";
import { canonicalJson } from "../canonicalJson.js";
import type { RingBits } from "../fixed-point/ringVector.js";
import type { Sha256, StageId } from "../ids.js";
import { countedPatients, type PatientStudy } from "./patientWeights.js";
import type { BroadcastPlan, Disclosure, Plan, StagePlan } from "./plan.js";
import type { Study } from "./study.js";

/**
 * What a study does, sends and costs, without a sentence: what aggregator and sites agree on, hash and sign. Every string is an
 * identifier. What else a plan says follows from it, or is said to people alone.
 */
export interface PlanFacts {
  readonly format: "consilium-plan/3";
  /** Of the method: what an existing text means. */
  readonly edition: number;
  /** Formulas whose figures are shown. */
  readonly accounting: readonly ("zcdp/1" | "pld/1")[];
  /** Attempts at a stage that may be charged. */
  readonly maxAttempts: number;
  readonly masking: Plan["masking"];
  readonly setup: readonly SetupStep[];
  /** Whose privacy: a record's, or that of a patient with at most so many rows, which weigh `weight` together or each count by itself. */
  readonly unit:
    | { readonly kind: "record" }
    | { readonly kind: "patient"; readonly maxRows: number; readonly weight: number | null };
  readonly delta: number | null;
  readonly stages: readonly StageFacts[];
}

/** Attempts at one stage that are charged. */
export const maxAttemptsOfStage = 20;

export type StageFacts = ProvedSum | UnprovedSum | OpenStage;

interface StageFactsCommon {
  readonly id: StageId;
  readonly broadcasts: readonly BroadcastPlan[];
  readonly mayBeSkipped?: true;
}

/** What the gate is asked, and how it travels. */
interface ProvedSum extends StageFactsCommon {
  readonly kind: "sum";
  readonly ringBits: RingBits;
  readonly query: QueryFacts;
  readonly scale: number;
  /** Null where the study asks for none. */
  readonly noise: { readonly shareVariance: number; readonly sites: number; readonly shares: number } | null;
}

/** A sum of whose privacy nothing is proven. */
interface UnprovedSum extends StageFactsCommon {
  readonly kind: "sum";
  readonly ringBits: RingBits;
  readonly length: number;
  readonly unproved: Unproved;
}

interface OpenStage extends StageFactsCommon {
  readonly kind: "rows" | "tags";
  /** Of rows. */
  readonly columns?: number;
  readonly unproved: Unproved;
}

/** As a method's authors state it. */
interface Unproved {
  readonly normBound: number | null;
  readonly sensitivity: number | null;
  readonly claimed: Disclosure["cost"];
}

/** A query whose bounds are called `min` and `max`. */
export type QueryFacts = Readonly<Record<string, unknown>> & { readonly kind: Query["kind"] };

/** @param study - which the plan is of: on its roster, where it has one */
export function planFacts(study: Study, plan: Plan): PlanFacts {
  const { claim, masking, setup } = plan;
  const isProved = claim.verdict === "proved";
  return {
    format: "consilium-plan/3",
    edition: study.edition ?? 1,
    accounting: isProved
      ? ["zcdp/1", ...(claim.lossDistribution === undefined ? [] : ["pld/1" as const])]
      : [],
    maxAttempts: maxAttemptsOfStage,
    masking,
    setup,
    unit: countedUnit(study),
    delta: claim.delta,
    stages: plan.stages.map(stageFacts),
  };
}

/** Whose privacy a study counts. */
export function countedUnit(study: PatientStudy): PlanFacts["unit"] {
  const patients = countedPatients(study);
  if (patients === null) return { kind: "record" };
  return { kind: "patient", maxRows: patients.rowsMost, weight: patients.unit };
}

function stageFacts(stage: StagePlan): StageFacts {
  const { id, broadcasts, mayBeSkipped } = stage;
  const { normBound, sensitivity, cost: claimed } = stage.disclosure;
  const common = { id, broadcasts, ...(mayBeSkipped === undefined ? {} : { mayBeSkipped }) };
  const unproved = { normBound, sensitivity, claimed };
  if (stage.kind === "rows") return { ...common, kind: "rows", columns: stage.columns, unproved };
  if (stage.kind === "tags") return { ...common, kind: "tags", unproved };
  const { ringBits, length, terms, noise } = stage;
  if (terms === undefined) return { ...common, kind: "sum", ringBits, length, unproved };
  return {
    ...common,
    kind: "sum",
    ringBits,
    query: queryFacts(terms.query),
    scale: terms.scale,
    noise: noise && {
      shareVariance: noise.event.shareVariance,
      sites: noise.event.sites,
      shares: noise.event.noiseShares,
    },
  };
}

/** In the order and with the names of the format: docs/FORMAT.md has each kind. */
function queryFacts(query: Query): QueryFacts {
  switch (query.kind) {
    case "histogram": {
      const { channels, sections, ...rest } = query;
      return {
        ...rest,
        channels: channels.map(({ least, most }) => ({ min: least, max: most })),
        ...(sections === undefined ? {} : { sections: sections.map(sectionFacts) }),
      };
    }
    case "blocks": {
      const { rowsMost, answer, ...rest } = query;
      return {
        ...rest,
        ...(rowsMost === undefined ? {} : { maxRows: rowsMost }),
        answer:
          answer.kind === "length" ? answer : { kind: answer.kind, max: answer.most, groups: answer.groups },
      };
    }
    default:
      return { ...query };
  }
}

function sectionFacts({ cells, most, least, touches, root }: Section) {
  return {
    cells,
    max: most,
    ...(least === undefined ? {} : { min: least }),
    ...(touches === undefined ? {} : { touches }),
    ...(root === undefined ? {} : { root }),
  };
}

const texts = new WeakMap<Plan, string>();

/** The one text of a plan: canonical JSON. */
export function planText(study: Study, plan: Plan): string {
  const text = texts.get(plan) ?? canonicalJson(planFacts(study, plan));
  texts.set(plan, text);
  return text;
}

/**
 * What stands for a plan: of the study before it has a roster what people approve, on its roster that by which it runs, which is bound
 * to everything that is masked and signed.
 */
export const planHash = (study: Study, plan: Plan): Sha256 =>
  sha256("consilium plan v3\n", planText(study, plan));
