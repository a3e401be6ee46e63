import type { MethodIssue } from "@consilium/core/method/method";
import { sentences } from "@consilium/core/said";
import { designWidth } from "@consilium/core/study/design";
import type { Feature } from "@consilium/core/study/features";
import type { Study } from "@consilium/core/study/study";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";

/** What the methods of feature-selection have in common: parameters, bounds and the rule of what cannot work. */

export const selectSchema = z
  .int()
  .min(1)
  .optional()
  .describe("q: how many features to select. Left out: a tenth of them, at least one.");

/** λ: the weight of |w|² in what is minimised. */
export const lambdaSchema = z
  .number()
  .min(1e-6)
  .max(1e3)
  .default(0.01)
  .describe("λ: the weight of |w|² in what is minimised.");

/**
 * How weights are found: `newton` for up to 500 features, `lbfgs` beyond, unless said. Both stop at a gradient of 1e-10,
 * so the weights are the same to about 1e-8.
 */
export const solverSchema = z
  .enum(["auto", "newton", "lbfgs"])
  .default("auto")
  .describe("How weights are found: `auto` is newton for up to 500 features, lbfgs beyond.");

export type Solver = "newton" | "lbfgs";

const newtonComfortable = 500;
/** A Hessian of 4096 features has 128 MiB. */
const newtonMost = 4096;

export function solverOf(parameters: { readonly solver: "auto" | Solver }, features: number): Solver {
  if (parameters.solver !== "auto") return parameters.solver;
  return features <= newtonComfortable ? "newton" : "lbfgs";
}

/** q: how many features are selected; by default a tenth of them, as the authors have it, and at least one. */
export function selectedFeatures(study: {
  readonly features: readonly Feature[];
  readonly parameters: { readonly select?: number | undefined };
}): number {
  return study.parameters.select ?? Math.max(1, Math.floor(study.features.length / 10));
}

const fault = sentences<StudyFaultSays>();

export function solverIssues(study: {
  readonly features: readonly Feature[];
  readonly parameters: { readonly solver: "auto" | Solver };
}): MethodIssue[] {
  if (study.parameters.solver !== "newton" || study.features.length <= newtonMost) return [];
  const params = { max: newtonMost, features: study.features.length };
  return [[["parameters", "solver"], fault("fault.newton", params)]];
}

/** Numbers of a table that a site holds in memory at once: 256 MiB of doubles. */
const heldMost = 2 ** 25;

/** A method that looks for nearest neighbours holds the whole table. */
export function heldTableIssues(study: Study): MethodIssue[] {
  const columns = designWidth(study.features);
  const { maxRowsPerSite } = study.participation;
  if (maxRowsPerSite * columns <= heldMost) return [];
  const params = { rows: maxRowsPerSite, columns, max: Math.floor(heldMost / columns) };
  return [[["participation", "maxRowsPerSite"], fault("fault.held-table", params)]];
}

/**
 * The largest of d standard normal numbers is about √(2 ln d): what a feature has to rise above.
 * @param features - d
 */
export function largestOfNormals(features: number): number {
  return Math.sqrt(2 * Math.log(Math.max(features, 2)));
}

/** To two digits, upwards. */
export function roundUp(x: number): number {
  const unit = Number(`1e${Math.max(0, Math.floor(Math.log10(x)) - 1)}`);
  return Math.ceil(x / unit) * unit;
}

/**
 * What a design column that marks a level holds, instead of 1: so two different levels are ½ + ½ apart, as far as the
 * two ends of a number's range, which is mapped to [0, 1].
 */
export const levelUnit = 0.5;
