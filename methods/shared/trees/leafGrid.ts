import { leafExponent } from "./secondOrder.js";

/** A value as it is broadcast: the nearest multiple of 2^-24. */
export function onLeafGrid(value: number): number {
  return Math.round(value * 2 ** leafExponent) / 2 ** leafExponent;
}
