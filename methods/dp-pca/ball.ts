import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import { designColumns } from "@consilium/core/study/design";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { BroadcastPlan } from "@consilium/core/study/plan";
import { countQuery, soundStage } from "@consilium/core/study/soundStage";
import { expectedSaid, rowsPerUnit, type SoundStage, stageRho } from "@consilium/core/study/soundSums";
import type { AnySaid } from "@consilium/words/said";
import { z } from "zod";
import type { DpPcaSays } from "./says.js";
import type { DpPcaStudy } from "./study.js";

/**
 * The ball that dp-pca clips rows onto, and its choice by two noisy sums: where its centre lies and how small it may be.
 * What is asked, the rule that the radius follows, and why it is private: docs/methods/pca.md#dp-pca-ball.
 */

/** A centre and a radius, in units of the declared ranges. */
export interface DpPcaBall {
  /** [d] c0. */
  readonly centre: Float64Array;
  /** R. */
  readonly radius: number;
}

const shareUsually = 0.15;

/** Keys of `parameters` that studies of earlier versions have not: without them a text means what it meant then. */
export const ballParameters = {
  ball: z
    .enum(["auto", "declared", "private"])
    .optional()
    .describe(
      "Whose centre and radius rows are clipped by. `declared`: `centre` and `radius` of this file. `private`: two noisy sums choose them, beginning from those. `auto`: `private` where every column is a number and `participation.expectedRows` is large enough for the choice to be worth its part of the budget, else `declared`. Left out: `declared` where `centre` or `radius` is given, else `auto`.",
    ),
  ballShare: between(0.01, 0.5)
    .optional()
    .describe(
      "The part of the study's ρ that the choice of centre and radius costs, half for each; components have the rest. Left out: 0.15.",
    ),
};

export const ballStages = {
  /** The clipped rows' sum and number, about the declared centre. */
  centre: "ball-centre" as StageId,
  /** How many rows lie how far from the chosen centre. */
  radius: "ball-radius" as StageId,
};

export const ballNames = {
  /** [d] the chosen centre. */
  centre: "centre",
  /** [1] which of the radii was chosen. */
  radiusStep: "radius-step",
} as const;

/** A chosen centre is broadcast as multiples of 2^-24. */
export const centreExponent = 24;

/**
 * Counts of the second sum. The first is of rows beyond the declared radius; each further one of rows between two radii;
 * the last of rows within the smallest. Squared radii halve, so that a row is told from another by a power of two.
 */
export const distanceCounts = 8;

/** Radii that can be chosen: the declared one, and each √2 smaller than the one before. */
export const radii = distanceCounts - 1;

/** The radius of a step, from 0: division by a power of two is exact, so that all machines have the same. */
export function radiusAt(declared: number, step: number): number {
  return declared / 2 ** (step >> 1) / (step % 2 === 1 ? Math.SQRT2 : 1);
}

/** The part of ρ that the choice costs where there is one. */
export function ballShare(study: DpPcaStudy): number {
  return study.parameters.ballShare ?? shareUsually;
}

/** What `ball` comes to, and why where `auto` decided. */
export interface BallDecision {
  readonly isPrivate: boolean;
  /** A sentence's end for anyone who reads the plan; null where the study said itself what it wants. */
  readonly reason: AnySaid | null;
}

const said = sentences<DpPcaSays>();

/** @param d - design columns */
export function ballDecision(study: DpPcaStudy, d: number): BallDecision {
  const { ball = "declared" } = study.parameters;
  if (ball !== "auto") return { isPrivate: ball === "private", reason: null };
  const declared = (reason: AnySaid): BallDecision => ({ isPrivate: false, reason });
  if (study.privacy === "none") return declared(said("dp-pca.ball-no-noise", {}));
  if (designColumns(study.features).some(({ level }) => level !== null)) {
    return declared(said("dp-pca.ball-category", {}));
  }
  const rows = study.participation.expectedRows;
  if (rows === undefined) {
    return declared(said("dp-pca.ball-rows-unknown", {}));
  }
  const least = rowsToChoose(study, d);
  return { isPrivate: rows >= least, reason: said("dp-pca.ball-rows", { rows, needed: least }) };
}

/**
 * Rows from which on neither sum of the choice is drowned by its noise: the noise moves the centre by no more than half of
 * the declared radius, √d·σ/n ≤ ½ with σ = √((1 + κ²)/2ρ) for coordinates in units of that radius; and that of all counts
 * together is no more than half of the rows, √8·√(1/2ρ) ≤ n/2.
 */
export function rowsToChoose(study: DpPcaStudy, d: number): number {
  const rho = stageRho(study, ballShare(study) / 2);
  if (rho === null) return 0;
  const unit = 1 / Math.sqrt(2 * rho);
  const moves = Math.sqrt(d * (1 + study.parameters.kappa ** 2));
  return Math.ceil(2 * unit * Math.max(moves, Math.sqrt(distanceCounts)));
}

/** The two sums of the choice, by what one record adds. */
export interface BallChoice {
  readonly centre: SoundStage;
  readonly radius: SoundStage;
}

/**
 * The first sum: ã = (a, K) of every record, clipped by the declared ball, so that Σ q² ≤ 4^h + K² as in the stages after it.
 * The second: a record is one 1.
 * @param options.squaredNormLimit - 4^h + K²
 */
export function ballChoice(
  study: DpPcaStudy,
  options: {
    readonly columns: number;
    readonly gridExponent: number;
    readonly squaredNormLimit: number;
    readonly reason: AnySaid | null;
  },
): BallChoice {
  const { columns, gridExponent, squaredNormLimit, reason } = options;
  const share = ballShare(study) / 2;
  return {
    centre: soundStage({
      id: ballStages.centre,
      broadcasts: [],
      share,
      query: { kind: "vector", parts: 1, length: columns + 1, limit: squaredNormLimit },
      integersPerUnit: 2 ** gridExponent,
      what: said("dp-pca.centre", { columns, reason, rows: said("dp-pca.rows", { chosen: 0 }) }),
    }),
    radius: soundStage({
      id: ballStages.radius,
      broadcasts: [{ name: ballNames.centre, length: columns }],
      share,
      query: countQuery(distanceCounts),
      integersPerUnit: 1,
      what: said("dp-pca.radius", { ranges: distanceCounts }),
    }),
  };
}

/** What tells the sites the radius: the first stage after the choice. */
export const radiusBroadcast: BroadcastPlan = { name: ballNames.radiusStep, length: 1 };

/** What the plan warns of where the study asks for a choice that its noise makes. */
export function ballWarnings(study: DpPcaStudy, d: number, rows: number): string[] {
  if (study.parameters.ball !== "private" || study.privacy === "none") return [];
  const least = rowsToChoose(study, d);
  if (rows >= least) return [];
  return [
    lines<DpPcaSays>()("dp-pca.ball-noise", {
      expected: expectedSaid(study),
      needed: least,
      units: unitsOf(study),
      patients: rowsPerUnit(study) === 1 ? 0 : 1,
    }),
  ];
}

/** Faults of the choice's keys, as [path, message]. */
export function ballIssues(study: DpPcaStudy): MethodIssue[] {
  const { ball = "declared", ballShare: share } = study.parameters;
  if (share === undefined || ball !== "declared") return [];
  return [[["parameters", "ballShare"], sentences<DpPcaSays>()("dp-pca.ball-share", {})]];
}

/** What a new study leaves open about its ball, filled in before the schema reads it; a text that travelled is left as it is. */
export function withBallDefault(raw: Record<string, unknown>): Record<string, unknown> {
  const { parameters } = raw;
  if (!isRecord(parameters) || parameters.ball !== undefined) return raw;
  const isDeclared = parameters.centre !== undefined || parameters.radius !== undefined;
  return { ...raw, parameters: { ...parameters, ball: isDeclared ? "declared" : "auto" } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
