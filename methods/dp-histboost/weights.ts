import { weightUnits } from "./study.js";

/**
 * A row's weight u = ⌊16·min(1, e^(-y·F))⌋/16, decided without an exponential: Math.exp may differ in its last place from
 * one machine to the next. F is a sum of multiples of 2^-24, exact in float64, and u ≥ j/16 if and only if
 * y·F ≤ ln(16/j): a comparison of integers, which no rounding can turn, for 2^24·ln(16/j) is irrational.
 */

/** [j-1] ⌊2^24·ln(16/j)⌋ for j = 1..15. */
export const weightThresholds = [
  46516319, 34887239, 28084664, 23258159, 19514432, 16455584, 13869364, 11629079, 9653008, 7885352, 6286312,
  4826504, 3483610, 2240285, 1082776,
] as const;

/**
 * @param margin - y·F in units of 2^-24, an integer
 * @returns 16·u, from 0 to 16
 */
export function weightOf(margin: number): number {
  if (margin <= 0) return weightUnits;
  let units = weightUnits - 1;
  while (units > 0 && margin > weightThresholds[units - 1]!) units--;
  return units;
}
