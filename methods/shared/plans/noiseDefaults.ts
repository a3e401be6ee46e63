import { noiseShares } from "@consilium/core/study/onRoster";
import { asExpected, sitesAtLeast, stageRho } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";

/**
 * Parameters that a new study leaves open and that its noise decides: of dp-pcc, dp-pcc-s and dp-ka, where the study says how many rows
 * it expects. They follow from what is public and are written into the study, so that every party reads numbers and a text that
 * travelled means what it meant: docs/methods/correlation-tree.md#defaults, docs/methods/k-anonymous-selection.md#dp-ka-defaults.
 */

/** Intervals of a numeric feature where noise allows for them. */
export const binsUsually = 16;

/** With two, all rows of a skewed column would lie in one. */
export const binsLeast = 3;

/** The part of a declared range that a column's rows are taken to fill: so many times as many intervals lie in the whole. */
const rangeFilled = 1 / 4;

export type Parameters = Readonly<Record<string, unknown>>;

/**
 * The study with what a method's rule makes of it; as it is where the rule does not apply, or where it has a fault.
 * @param read - the schema, with defaults of its own
 * @param smallest - the smallest parameters that the rule chooses: a larger default may be a fault that the chosen one is not
 * @param choose - the rule. `isOpen` tells which parameters the study leaves to it
 */
export function withNoiseRule<S extends Study>(
  raw: Parameters,
  read: (raw: Parameters) => S | null,
  smallest: Parameters,
  choose: (study: S, isOpen: IsOpen) => Parameters,
): Parameters {
  const { parameters: own = {} } = raw;
  if (!isRecord(own)) return raw;
  const filled = (parameters: Parameters) => ({ ...raw, parameters: { ...parameters, ...own } });
  const study = read(filled(smallest));
  if (study === null || study.privacy === "none") return raw;
  if (study.participation.expectedRows === undefined) return raw;
  return filled(choose(study, (key) => own[key] === undefined));
}

const isRecord = (value: unknown): value is Parameters =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export type IsOpen = (key: string) => boolean;

/** Standard deviation of the noise in one entry of a stage, in the sum of the sites that the study is judged for. */
export function noiseOf(study: Study, share: number, sensitivitySquared: number): number {
  const excess = sitesAtLeast(study) / noiseShares(asExpected(study));
  return Math.sqrt((sensitivitySquared * excess) / (2 * stageRho(study, share)!));
}

/**
 * Intervals of a numeric feature: the B at which a trend of the label over it stands out best of sampling and noise. B intervals
 * show 1 - 1/B² of it, and its variance grows by the factor 1 + 2Bσ²/n: the most of (1 - 1/B²)²/(1 + 2Bσ²/n) is near
 * B = ∛(2n/σ²), in the part of the range that rows fill.
 */
export function intervalsFor(rows: number, stdDev: number): number {
  const wanted = Math.ceil(Math.cbrt((2 * rows) / stdDev ** 2) / rangeFilled);
  return Math.min(binsUsually, Math.max(binsLeast, wanted));
}

/**
 * The part of training's ρ that the leaves get: the least of a/(1 - s) + 4/s. A side of a cut of the last level sums B/2 bins with
 * a variance of m·h each over (1 - s), a leaf one count over s, and it has half of the node's rows: a = m·h·B/2.
 */
export function leafShareFor(features: number, bins: number, depth: number): number {
  const share = 1 / (1 + Math.sqrt((features * depth * bins) / 8));
  return Math.max(0.05, Math.round(1000 * share) / 1000);
}
