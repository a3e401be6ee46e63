import { Enclosure } from "./enclosure.js";
import { checkDelta } from "./ranges.js";

/**
 * Between ρ-zCDP and (ε, δ), by the conversion of [CKS20, Corollary 13]: for every α > 1
 *
 *   ε(α) = αρ + log(1 - 1/α) - log(αδ)/(α - 1)          at given ρ, δ,
 *   δ(α) = exp((α - 1)(αρ - ε) + α·log(1 - 1/α))/(α - 1)  at given ρ, ε,
 *   ρ(α) = (ε - log(1 - 1/α) + log(αδ)/(α - 1))/α        at given ε, δ
 *
 * is sound, whatever α is. So a good α is searched for in plain double arithmetic, which needs no care, and the
 * formula is then evaluated once at that α with directed rounding: ε and δ up, ρ down. An α that is off by a relative
 * 2^-32 costs a relative 2^-64: results lie within 1e-12 of the best that the conversion gives.
 *
 * Below, x stands for α - 1, so that orders near 1 keep their digits.
 */

/**
 * The ε that ρ-zCDP gives at δ, rounded up.
 * @param rho - ρ ≥ 0
 * @param delta - 0 ≤ δ ≤ 1
 */
export function epsilonFromRho(options: { readonly rho: number; readonly delta: number }): number {
  checkDelta(options.delta);
  if (options.rho === Number.POSITIVE_INFINITY) return options.delta === 1 ? 0 : options.rho;
  return epsilonOf(checkedRho(options.rho), options.delta);
}

/**
 * The largest ρ that stays within (ε, δ), rounded down.
 * @param epsilon - 0 ≤ ε < ∞
 * @param delta - 0 < δ < 1
 */
export function rhoFromEpsilon(options: { readonly epsilon: number; readonly delta: number }): number {
  const { epsilon, delta } = options;
  if (!(epsilon >= 0 && epsilon < Number.POSITIVE_INFINITY)) {
    throw new RangeError("ε must be finite and not negative");
  }
  if (!(delta > 0 && delta < 1)) throw new RangeError("δ must lie in (0, 1): zCDP gives no bound at δ = 0");
  const wanted = -Math.log(delta);
  const approximate = (x: number) => (epsilon - (wanted - Math.log1p(x)) / x + Math.log1p(1 / x)) / (1 + x);
  // ρ(α) is quasi-concave, and rises just where this is negative.
  const least = Math.sqrt(wanted / (epsilon + 1)) * 2 ** -60;
  const x = root((x) => x * x * approximate(x) + Math.log1p(x) - wanted, least, Math.expm1(wanted));
  const order = Enclosure.of(x);
  const rho = Enclosure.of(epsilon)
    .plus(Enclosure.of(delta).logarithm().plus(Enclosure.one.plus(order).logarithm()).dividedBy(order))
    .plus(Enclosure.one.plus(order).logarithm())
    .minus(order.logarithm())
    .dividedBy(Enclosure.one.plus(order));
  return Math.max(0, rho.floor());
}

/** @throws RangeError for a negative ρ */
export function checkedRho(rho: number): Enclosure {
  if (!(rho >= 0)) throw new RangeError("ρ must not be negative");
  return Enclosure.of(rho);
}

/** ε at δ of the ρ that is enclosed: an upper bound for its upper end. */
export function epsilonOf(rho: Enclosure, delta: number): number {
  if (delta === 1 || rho.isAtMost(0)) return 0;
  if (delta === 0) return Number.POSITIVE_INFINITY;
  const wanted = -Math.log(delta);
  const slope = rho.ceiling();
  if (slope === Number.POSITIVE_INFINITY) return slope;
  // dε/dα = 0 where (α - 1)²ρ + log α = log(1/δ), whose left side grows with α.
  const most = Math.min(Math.sqrt(wanted / slope), Math.expm1(wanted));
  const x = root((x) => x * x * slope + Math.log1p(x) - wanted, most * 2 ** -60, most);
  return epsilonAtOrder(Enclosure.of(x), rho.times(Enclosure.of(x).plus(Enclosure.one)), delta).ceiling();
}

/**
 * ε at δ from a bound on the Rényi divergence of order 1 + x [CKS20, Proposition 12]; at least 0.
 * @param divergence - bound on the divergence of that order
 */
export function epsilonAtOrder(x: Enclosure, divergence: Enclosure, delta: number): Enclosure {
  const logOrder = Enclosure.one.plus(x).logarithm();
  return divergence
    .plus(x.logarithm())
    .minus(logOrder)
    .minus(logOrder.plus(Enclosure.of(delta).logarithm()).dividedBy(x))
    .max(Enclosure.zero);
}

/**
 * Where an increasing function crosses zero, by bisection of the logarithm, to about 32 bits.
 * @returns a positive double of at most 32 significant bits: it is exact in JSON and the same wherever it is computed,
 *   although engines may differ in the last digit of `Math.log`
 */
export function root(increasing: (x: number) => number, from: number, to: number): number {
  let high = Math.min(Math.log2(to), 1000);
  let low = Math.min(Math.max(Math.log2(from), -1000), high);
  while (high - low > 2 ** -40) {
    const middle = (low + high) / 2;
    if (increasing(2 ** middle) < 0) low = middle;
    else high = middle;
  }
  return shortened(2 ** ((low + high) / 2));
}

/** The number with at most 32 significant bits. */
export function shortened(x: number): number {
  const unit = 2 ** (Math.floor(Math.log2(x)) - 31);
  return Math.round(x / unit) * unit;
}
