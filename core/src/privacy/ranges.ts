/** What a probability δ and a loss ε may be, wherever one is asked for. */

/** @throws RangeError unless 0 ≤ δ ≤ 1 */
export function checkDelta(delta: number): void {
  if (!(delta >= 0 && delta <= 1)) throw new RangeError("δ must lie in [0, 1]");
}

/** @throws RangeError unless ε ≥ 0; Infinity is allowed */
export function checkEpsilon(epsilon: number): void {
  if (!(epsilon >= 0)) throw new RangeError("ε must not be negative");
}
