/** Whether what takes long is tested to its end: CONSILIUM_TESTS=whole. The gate runs a fixed part of it. */
export const isWholeRun = process.env.CONSILIUM_TESTS === "whole";

/** A number, or a list of cases, of the gate and of the whole run. */
export function inGate<T>(gate: T, { whole }: { readonly whole: T }): T {
  return isWholeRun ? whole : gate;
}
