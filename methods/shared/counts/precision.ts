import { z95 } from "@consilium/core/linalg/z95";
import { sentences } from "@consilium/core/said";
import {
  asExpected,
  fitsRing,
  noiseStdDev,
  type SoundStage,
  sitesAtLeast,
} from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import type { StageSays } from "@consilium/words/says/stages";

/**
 * What the noise of a stage puts a count within, at 95 %, if all sites answer: for the plan.
 * @param weight - what a record adds to the count
 */
export function expectedPrecision(study: Study, stage: SoundStage, weight: number): number {
  return (z95 * noiseStdDev(asExpected(study), stage, sitesAtLeast(study))) / weight;
}

/** A width for people, rounded to such as 12 or 0.6. */
export const roundedWidth = (width: number) =>
  width >= 10 ? Math.ceil(width) : Number(width.toPrecision(2));

export const precisionText = (width: number) => `±${roundedWidth(width)}`;

/**
 * The stage with what noise puts its counts within, so that nobody must compute it from a sensitivity.
 * @param weights - what a record adds to the counts of each table
 */
export function withPrecision(study: Study, stage: SoundStage, weights: readonly number[]): SoundStage {
  if (study.privacy === "none" || !fitsRing(study, [stage])) return stage;
  const widths = weights.map((weight) => expectedPrecision(study, stage, weight));
  const [min, max] = [Math.min(...widths), Math.max(...widths)].map(roundedWidth) as [number, number];
  return { ...stage, what: sentences<StageSays>()("sent.precise", { what: stage.what, min, max }) };
}
