import { asExpected, noiseStdDev, type SoundStage, sitesAtLeast } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { type Estimate, z95 } from "../evaluation/estimate.js";

/**
 * A count of records of which a noisy one is known. No count is negative, and what is cut off at 0 is no further from the true count
 * than before: so ±1.96 standard deviations around it, cut off as well, still cover the true count in 95 % of cases or more.
 */
export function countEstimate(noisy: number, stdDev: number): Estimate {
  const value = Math.max(0, noisy);
  return { value, low: Math.max(0, value - z95 * stdDev), high: value + z95 * stdDev };
}

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

/** A number for people: a minus sign that no spreadsheet takes for a formula, no more digits than `digits`. */
export function numberText(value: number, digits: number): string {
  const rounded = Number(value.toFixed(digits));
  return `${rounded < 0 ? "−" : ""}${Math.abs(rounded).toFixed(digits)}`;
}
