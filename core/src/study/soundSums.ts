import type { Query } from "@consilium/gate/query";
import type { AnySaid } from "@consilium/words/said";
import type { PlanSays } from "@consilium/words/says/plans";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import type { RingBits } from "../fixed-point/ringVector.js";
import type { StageId } from "../ids.js";
import { maxSites } from "../limits.js";
import type { MethodIssue } from "../method/method.js";
import { rhoFromEpsilon } from "../privacy/conversions.js";
import type { EntryGroup, NoBoundReason, PrivacyEvent } from "../privacy/events.js";
import { eventOf, shareVarianceFor } from "../privacy/shareVariance.js";
import { zcdpAccountant } from "../privacy/zcdp.js";
import { lines, sentences } from "../said.js";
import { claimedUnit } from "./claimedUnit.js";
import { flowShare, flowStage, studyOfFlow } from "./flowStage.js";
import { noiseShares, studyOnRoster } from "./onRoster.js";
import { unitOfStudy, weighsPatients } from "./patientWeights.js";
import type {
  BroadcastPlan,
  Disclosure,
  EntryChange,
  Plan,
  PlanLoss,
  PrivacyClaim,
  StageNoise,
  SumStage,
} from "./plan.js";
import { countedUnit } from "./planFacts.js";
import { lossOfPlan } from "./planLoss.js";
import type { Study } from "./study.js";

/**
 * What every sound method shares: a study's ρ divided over stages, each of which sums vectors of integers with discrete
 * Gaussian noise from every site (docs/methods/pca.md#dp-pca-proof). A method states what one record adds; this file
 * sizes noise and ring, charges and claims.
 */

/** A stage by what one record adds to it. */
export interface SoundStage {
  readonly id: StageId;
  readonly broadcasts: readonly BroadcastPlan[];
  /** What one record may add; `soundStage` has the rest from it. */
  readonly query: Query;
  /** Entries of the vector. */
  readonly length: number;
  /** The stage's part of the study's ρ, in (0, 1]; all parts together are at most 1. */
  readonly share: number;
  /**
   * Δ², an integer below 2^53: Σ q_j² of the integers that one record adds, under add-remove. It holds in the method's
   * own integers, before `soundScale`.
   */
  readonly sensitivitySquared: number;
  /** The most that one record adds to one entry, in the method's integers. */
  readonly entryMost: number;
  /**
   * Set where the method's integers are so fine that a row of a patient with k rows is divided by k before it is rounded, which
   * keeps `sensitivitySquared` for the whole patient. Left out where integers are counts: rows then weigh ⌊U/k⌋ of U.
   */
  readonly onGrid?: true;
  /**
   * What one record changes entry by entry, in the method's integers, where the proof bounds that: with it the plan is also
   * accounted for by its exact loss distribution. Left out where only the length of a contribution is bounded.
   */
  readonly changes?: readonly EntryChange[];
  /** The method's integers per unit in which people think: 16 where weights are sixteenths, 1 for counts. */
  readonly integersPerUnit: number;
  /** The data that the site sends, without "added up over all sites". */
  readonly what: AnySaid;
  /** As the plan's stage has it. */
  readonly mayBeSkipped?: true;
}

/** How a stage's integers travel. */
export interface SoundSum {
  /**
   * A power of two that the method's integers are multiplied with before noise and divided by after, so that every
   * share of noise has a standard deviation of at least 2 integers.
   */
  readonly scale: number;
  /** U: what a patient's rows weigh together, and sums are divided by; 1 where rows count, and on a grid. */
  readonly unit: number;
  readonly ringBits: RingBits;
  /** Magnitude that an entry of a sum can have with honest sites, scaled, noise included, at 12 standard deviations. */
  readonly entryLimit: number;
  readonly noise: StageNoise | null;
  /** Standard deviation of one site's share of noise, in the method's integers; 0 without noise. */
  readonly shareStdDev: number;
}

const line = lines<StageSays & PlanSays & StudyFaultSays>();
const fault = sentences<StudyFaultSays>();
const leastShareStdDev = 2;

/** Sites that a study is sized for: those it names, or as many as a roster can have. */
export function sitesAtMost(study: Study): number {
  return study.participation.sites?.length ?? maxSites;
}

/** Rows of all sites together at most. */
export const rowsMost = (study: Study) => sitesAtMost(study) * study.participation.maxRowsPerSite;

/** Sites that a study is judged for before anybody has joined: those it names, or the fewest that may be. */
export function sitesAtLeast(study: Study): number {
  return study.rosterSites ?? study.participation.sites?.length ?? study.participation.minimumSites;
}

/** The study on the roster that it is judged for: its noise is sized by that, and for fewer sites where fewer come. */
export function asExpected<S extends Study>(study: S): S {
  const expected = studyOnRoster(study, sitesAtLeast(study));
  return noiseShares(expected) === noiseShares(study) ? study : expected;
}

/** Records that these sites have at most. */
export function rowsOfTheFewest(study: Study): number {
  return sitesAtLeast(study) * study.participation.maxRowsPerSite;
}

/**
 * Records that a study is judged by before it runs: those that it says it expects, or half of what the fewest sites may have,
 * for a cap is set with room.
 */
export function rowsExpected(study: Study): number {
  return study.participation.expectedRows ?? Math.floor(rowsOfTheFewest(study) / 2);
}

/** The same in a warning: "with the 614 rows that the study expects". Patients are no more than rows. */
export const expectedSaid = (study: Study) =>
  sentences<PlanSays>()("plan.rows", {
    rows: rowsExpected(study),
    patients: weighsPatients(study) ? 1 : 0,
    stated: study.participation.expectedRows === undefined ? 0 : 1,
  });

/**
 * By how many rows a unit of privacy changes a sum: all used rows of a patient, if each counts 1; 1 where rows are the unit, or
 * a patient's rows together weigh as much as one.
 */
export function rowsPerUnit(study: Study): number {
  return weighsPatients(study) ? 1 : (study.patient?.maxRows ?? 1);
}

/** U of a stage's sums: what a patient's rows weigh together. */
function unitOfStage(study: Study, stage: Pick<SoundStage, "onGrid">): number {
  return stage.onGrid === undefined ? unitOfStudy(study) : 1;
}

/** A little below x, so that what is recomputed stays within what was asked. */
const below = (x: number) => x * (1 - 2 ** -45);

/**
 * ρ of one record in a stage that takes `share` of what the method has of the study's: all but the flow's. Null with `privacy: none`.
 * What a unit with m rows loses is m² times this [BS16, Proposition 1.9].
 */
export function stageRho(study: Study, share: number): number | null {
  if (study.privacy === "none") return null;
  const rho =
    (study.privacy.rho ?? rhoFromEpsilon(study.privacy)) * (study.flow === true ? 1 - flowShare : 1);
  return below((rho * share) / rowsPerUnit(study) ** 2);
}

/** Plans are read again and again, and the noise of one takes some 50 ms of exact arithmetic. */
const sized = new WeakMap<Study, Map<string, SoundSum>>();

/**
 * Noise and ring of a stage.
 * @throws RangeError where noise of this size, or the sum, does not fit 64-bit integers
 */
export function soundSum(study: Study, stage: SoundStage): SoundSum {
  const known = sized.get(study) ?? new Map<string, SoundSum>();
  sized.set(study, known);
  // Stages of one shape have the same noise.
  const key = [
    stage.query.kind,
    stage.length,
    stage.share,
    stage.sensitivitySquared,
    stage.entryMost,
    JSON.stringify(stage.changes),
    stage.onGrid,
  ].join(" ");
  const before = known.get(key);
  if (before !== undefined) return before;
  const sum = sizedSum(study, stage);
  known.set(key, sum);
  return sum;
}

function sizedSum(study: Study, stage: SoundStage): SoundSum {
  const rho = stageRho(study, stage.share);
  const sites = sitesAtMost(study);
  const records = sites * study.participation.maxRowsPerSite;
  const unit = unitOfStage(study, stage);
  if (rho === null) {
    const entryLimit = records * stage.entryMost * unit;
    return { scale: 1, unit, ringBits: ringFor(entryLimit), entryLimit, noise: null, shareStdDev: 0 };
  }
  const scale = scaleFor(study, stage, rho);
  const { groups, weights } = weightsOf(stage);
  const sum = {
    l2SensitivitySquared: stage.sensitivitySquared * (scale * unit) ** 2,
    groups,
    sites: maxSites,
    noiseShares: noiseShares(study),
  };
  const event = eventOf(sum, shareVarianceFor({ ...sum, rho }));
  const shareStdDev = Math.sqrt(event.shareVariance);
  const entryLimit = records * stage.entryMost * (scale * unit) + 12 * shareStdDev * Math.sqrt(sites);
  return {
    scale,
    unit,
    ringBits: ringFor(entryLimit),
    entryLimit,
    // Entry by entry a patient's rows may lie anyhow: what one row changes bounds nothing there.
    noise: {
      event,
      weights,
      ...(weighsPatients(study) ? {} : scaledChanges(stage, scale)),
    },
    shareStdDev: shareStdDev / (scale * unit),
  };
}

/** Entries by the weight of their noise, as the gate draws it: off the diagonal of a Gram matrix it is 2. */
function weightsOf({ query, length }: SoundStage): { groups: EntryGroup[]; weights: StageNoise["weights"] } {
  if (query.kind !== "gram")
    return { groups: [{ entries: length, weight: 1 }], weights: { kind: "uniform" } };
  const diagonal = query.parts * query.order;
  const groups = [
    { entries: diagonal, weight: 1 },
    { entries: length - diagonal, weight: 2 },
  ];
  return {
    groups: groups.filter(({ entries }) => entries > 0),
    weights: { kind: "triangles", order: query.order },
  };
}

/** @throws RangeError where integers so fine are too large */
function scaleFor(study: Study, stage: SoundStage, rho: number): number {
  const unit = unitOfStage(study, stage);
  const sensitivitySquared = stage.sensitivitySquared * unit ** 2;
  const heaviest = Math.max(...weightsOf(stage).groups.map(({ weight }) => weight));
  const unscaled = Math.sqrt(sensitivitySquared / (2 * rho * noiseShares(study) * heaviest));
  const scale = 2 ** Math.max(0, Math.ceil(Math.log2(leastShareStdDev / unscaled)));
  // A Δ² that is charged as the query has it need not be below 2^53: the gate rounds it up.
  if (unit * scale !== 1 && !Number.isSafeInteger(sensitivitySquared * scale ** 2))
    throw new RangeError("no grid fits this study");
  return scale;
}

function scaledChanges({ changes }: SoundStage, scale: number): Pick<StageNoise, "changes"> {
  return changes === undefined
    ? {}
    : { changes: changes.map(({ entries, most }) => ({ entries, most: most * scale })) };
}

function ringFor(entryLimit: number): RingBits {
  if (!(entryLimit < 2 ** 63)) throw new RangeError("the sum does not fit 64-bit integers");
  return entryLimit < 2 ** 31 ? 32 : 64;
}

/** Whether noise and sum of these stages fit 64-bit integers: with the fewest sites, and with the most, whose grid is the finest. */
export function fitsRing(study: Study, stages: readonly SoundStage[]): boolean {
  const sites = sitesAtMost(study);
  const most = studyOnRoster(study, sites);
  try {
    for (const stage of stages) {
      soundSum(study, stage);
      const rho = stageRho(study, stage.share);
      if (rho === null) continue;
      const scale = scaleFor(most, stage, rho) * unitOfStage(most, stage);
      ringFor(scale * (sites * study.participation.maxRowsPerSite * stage.entryMost));
    }
    return true;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

/**
 * Standard deviation of the noise in a sum, in the method's integers; of a Gram matrix that on its diagonal.
 * @param sites - whose shares are in it
 */
export function noiseStdDev(study: Study, stage: SoundStage, sites: number): number {
  return soundSum(study, stage).shareStdDev * Math.sqrt(sites);
}

/** What makes a sound method's plan. */
export interface SoundPlan {
  readonly stages: readonly SoundStage[];
  /** Where the proof stands, as `docs/METHODS.md#dp-histboost-proof`. */
  readonly proof: string;
  readonly warnings: readonly string[];
}

const plans = new WeakMap<Study, Plan>();

/**
 * The plan of a study of these stages, made once for each study: plans are read again and again.
 * @throws RangeError where a stage does not fit, or the stages' parts are more than the whole
 */
export function planSoundSums(study: Study, make: () => SoundPlan): Plan {
  const known = plans.get(study);
  if (known !== undefined) return known;
  const plan = soundPlan(study, make());
  plans.set(study, plan);
  return plan;
}

function soundPlan(study: Study, options: SoundPlan): Plan {
  const total = options.stages.reduce((sum, stage) => sum + stage.share, 0);
  if (!(total <= 1 + 1e-12)) throw new RangeError("the stages' parts are more than the study's whole budget");
  const stages = [...flowStages(study), ...options.stages.map((stage) => soundSumStage(study, stage))];
  const events = stages.map((stage) => stage.disclosure.event);
  return {
    masking: "pairwise",
    setup: [],
    stages,
    claim: soundClaim(study, events, options.proof, lossOfPlan(study, stages)),
    warnings: [...options.warnings, ...deltaWarnings(study)],
  };
}

/** δ is the chance that anything may happen to somebody; among n records that must stay unlikely. */
export function deltaWarnings(study: Study): string[] {
  if (study.privacy === "none") return [];
  const [{ delta }, rows] = [study.privacy, rowsOfTheFewest(study)];
  if (delta * rows <= 0.1) return [];
  return [line("plan.delta-large", { delta, rows, exponent: Math.floor(Math.log10(0.1 / rows)) })];
}

/** The flow of the study's rows, first of all stages, where the study has it. */
export const flowStages = (study: Study): SumStage[] =>
  study.flow === true ? [soundSumStage(studyOfFlow(study), flowStage(study))] : [];

/** A stage as a plan has it. */
export function soundSumStage(study: Study, stage: SoundStage): SumStage {
  const { scale, ringBits, noise } = soundSum(study, stage);
  return {
    kind: "sum",
    id: stage.id,
    broadcasts: stage.broadcasts,
    length: stage.length,
    ringBits,
    terms: { query: stage.query, scale },
    noise,
    disclosure: disclosureOf(study, stage),
    ...(stage.mayBeSkipped === undefined ? {} : { mayBeSkipped: stage.mayBeSkipped }),
  };
}

function disclosureOf(study: Study, stage: SoundStage): Disclosure {
  const { noise, shareStdDev } = soundSum(study, stage);
  const event = unitEvent(study, noise);
  const sensitivity = Math.sqrt(stage.sensitivitySquared) / stage.integersPerUnit;
  const least = (shareStdDev * Math.sqrt(noiseShares(study))) / stage.integersPerUnit;
  return {
    what: line("sent.summed", { what: weighed(study, stage.what) }),
    form: "masked sum",
    learns: line("learns.sum", { noise: noise === null ? 0 : 1 }),
    mechanism:
      noise === null
        ? line("noise.none", {})
        : line("noise.gaussian", { deviation: Number(least.toPrecision(4)) }),
    normBound: sensitivity,
    sensitivity: noise === null ? null : sensitivity * rowsPerUnit(study),
    cost: costOf(study, event),
    event,
  };
}

/** What is sent, and how its rows count where it is not each of them 1. */
export function weighed(study: Study, what: AnySaid): AnySaid {
  return weighsPatients(study) ? sentences<StageSays>()("sent.weighed", { what }) : what;
}

/** What a stage with this noise costs one unit of privacy. */
export function unitEvent(study: Study, noise: StageNoise | null): PrivacyEvent {
  if (noise === null) return noBound("none");
  const records = rowsPerUnit(study);
  return records === 1 ? noise.event : { kind: "group", event: noise.event, records };
}

/** What one stage costs by itself; stages add in zCDP, not in ε. */
export function costOf(study: Study, event: PrivacyEvent): Disclosure["cost"] {
  if (study.privacy === "none") return null;
  return { epsilon: epsilonOf([event], study.privacy.delta), delta: study.privacy.delta };
}

function epsilonOf(events: readonly PrivacyEvent[], delta: number): number {
  const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
  for (const event of events) accountant.compose(event);
  return accountant.epsilon(delta);
}

/** The claim of a study whose every stage is one of these events. */
export function soundClaim(
  study: Study,
  events: readonly PrivacyEvent[],
  proof: string,
  lossDistribution?: PlanLoss,
): PrivacyClaim {
  if (study.privacy === "none") return noPrivacyClaim;
  const { delta } = study.privacy;
  const zcdp = epsilonOf(events, delta);
  const isExact = !(zcdp <= study.privacy.epsilon);
  if (isExact && !((lossDistribution?.epsilon ?? zcdp) <= study.privacy.epsilon)) {
    throw new RangeError(overspent(study, lossDistribution?.epsilon ?? null, zcdp));
  }
  const epsilon = isExact ? lossDistribution!.epsilon : zcdp;
  return {
    verdict: "proved",
    epsilon,
    delta,
    ...(lossDistribution === undefined ? {} : { lossDistribution }),
    ...(isExact ? { isExact } : {}),
    ...claimedUnit("proved", countedUnit(study)),
    proof,
    reasons: [],
  };
}

/** Why a plan is none: only a ρ of the study's own can cost more than its ε. */
function overspent({ privacy }: Study, exact: number | null, zcdp: number): string {
  if (privacy === "none" || privacy.rho === undefined) return "the plan costs more than the study allows";
  const { rho, epsilon } = privacy;
  if (exact !== null) return line("fault.rho-exact", { rho, epsilon: exact, allowed: epsilon });
  return line("fault.rho-zcdp", {
    rho,
    epsilon: Number(zcdp.toPrecision(4)),
    lower: rhoFromEpsilon(privacy),
  });
}

/** What a study with `privacy: none` claims. */
export const noPrivacyClaim: PrivacyClaim = {
  verdict: "no privacy",
  epsilon: null,
  delta: null,
  ...claimedUnit("no privacy"),
  proof: null,
  reasons: [line("plan.no-noise", {})],
};

/** What the authors of a published method claim, with the reasons why it is not proven. */
export function authorsClaim(study: Study, reasons: readonly string[]): PrivacyClaim {
  if (study.privacy === "none") return noPrivacyClaim;
  return {
    verdict: "claimed by the authors, not verified",
    epsilon: study.privacy.epsilon,
    delta: study.privacy.delta,
    ...claimedUnit("claimed by the authors, not verified"),
    proof: null,
    reasons,
  };
}

/** The event of a stage whose privacy nobody proved. */
export function unprovedEvent(study: Study): PrivacyEvent {
  return noBound(study.privacy === "none" ? "none" : "by-authors");
}

const noBound = (reason: NoBoundReason): PrivacyEvent => ({ kind: "no-bound", reason });

/** Faults of every sound study: [path, message]. @param options.isOfCounts - a row may have several of the expected events */
export function soundIssues(study: Study, { isOfCounts = false } = {}): MethodIssue[] {
  const issues: MethodIssue[] = [];
  const { tolerateColluding, expectedRows, expectedEvents = 0 } = study.participation;
  if (study.privacy !== "none" && tolerateColluding < 1)
    issues.push([["participation", "tolerateColluding"], fault("fault.colluding-noise", {})]);
  if (!isOfCounts && expectedRows !== undefined && expectedEvents > expectedRows)
    issues.push([["participation", "expectedEvents"], fault("fault.events-beyond", {})]);
  return issues;
}
