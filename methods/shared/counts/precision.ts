import { z95 } from "@consilium/core/linalg/z95";
import { asExpected, noiseStdDev, type SoundStage, sitesAtLeast } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";

/**
 * What the noise of a stage puts a count within, at 95 %, if all sites answer: for the plan.
 * @param weight - what a record adds to the count
 */
export function expectedPrecision(study: Study, stage: SoundStage, weight: number): number {
  return (z95 * noiseStdDev(asExpected(study), stage, sitesAtLeast(study))) / weight;
}

/** Such as "±12" or "±0.6": for people. */
export const precisionText = (width: number) =>
  `±${width >= 10 ? Math.ceil(width) : Number(width.toPrecision(2))}`;
