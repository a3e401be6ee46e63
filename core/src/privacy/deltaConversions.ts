import { checkedRho, root } from "./conversions.js";
import { Enclosure } from "./enclosure.js";
import { checkEpsilon } from "./ranges.js";

/** From ρ-zCDP and ε to δ: `conversions.ts` has the formulas. */

/**
 * The δ that ρ-zCDP gives at ε, rounded up.
 * @param rho - ρ ≥ 0
 * @param epsilon - ε ≥ 0
 */
export function deltaFromRho(options: { readonly rho: number; readonly epsilon: number }): number {
  checkEpsilon(options.epsilon);
  if (options.rho === Number.POSITIVE_INFINITY) return options.epsilon === options.rho ? 0 : 1;
  return deltaOf(checkedRho(options.rho), options.epsilon);
}

/** δ at ε of the ρ that is enclosed: an upper bound for its upper end. */
export function deltaOf(rho: Enclosure, epsilon: number): number {
  if (epsilon === Number.POSITIVE_INFINITY || rho.isAtMost(0)) return 0;
  const slope = rho.ceiling();
  if (slope === Number.POSITIVE_INFINITY) return 1;
  // dlog δ/dα = 0 where (2α - 1)ρ - ε + log(1 - 1/α) = 0, whose left side grows with α.
  const most = (epsilon + 1) / (2 * slope) + 2;
  const x = root((x) => (2 * x + 1) * slope - epsilon - Math.log1p(1 / x), most * 2 ** -200, most);
  return deltaAtOrder(Enclosure.of(x), rho.times(Enclosure.of(x).plus(Enclosure.one)), epsilon).ceiling();
}

/** δ at ε from a bound on the Rényi divergence of order 1 + x [CKS20, Proposition 12]; at most 1. */
export function deltaAtOrder(x: Enclosure, divergence: Enclosure, epsilon: number): Enclosure {
  const order = Enclosure.one.plus(x);
  const exponent = x
    .times(divergence.minus(Enclosure.of(epsilon)).plus(x.logarithm()))
    .minus(order.times(order.logarithm()));
  // An order whose bound is above 1 says nothing.
  return exponent.min(Enclosure.zero).exponential().min(Enclosure.one);
}
