import { type Accountant, accountantOver, type NeighbouringRelation } from "../../src/privacy/accountant.js";
import { epsilonOf, rhoFromEpsilon } from "../../src/privacy/conversions.js";
import { Enclosure } from "../../src/privacy/enclosure.js";
import type { MechanismEvent } from "../../src/privacy/events.js";
import { checkDelta, checkEpsilon } from "../../src/privacy/ranges.js";
import { leastWithin } from "../../src/privacy/search.js";
import { stdDevFromRho } from "./stdDev.js";

/**
 * The exact (ε, δ) of continuous Gaussian noise [BW18]: the reference that everything else is compared with, and the
 * accountant of releases whose noise is continuous. It must not be used for discrete noise, whose δ can be larger.
 */

/**
 * The accountant of continuous Gaussian releases. Composed, even adaptively, they are one Gaussian release with
 * μ² = Σ Δ_j²/σ_j² [DRS19], so its ε is exact. It refuses every other event.
 */
export function analyticGaussianAccountant(options: {
  readonly neighbouringRelation: NeighbouringRelation;
}): Accountant {
  let total = Enclosure.zero;
  return accountantOver(options.neighbouringRelation, {
    refusal: ({ event }) =>
      squaredSignal(event) === null
        ? `the analytic Gaussian accountant takes continuous Gaussian noise only, not ${event.kind}`
        : null,
    prepare({ event, count, records }) {
      const signal = squaredSignal(event)!.times(Enclosure.of(records).squared()).times(Enclosure.of(count));
      return () => {
        total = total.plus(signal);
      };
    },
    epsilon: (delta) => epsilonOfSignal(total, delta),
    delta: (epsilon) => deltaOfSignal(total, epsilon).ceiling(),
  });
}

/** Δ²/σ² of one record, where noise is continuous and Gaussian; null elsewhere. */
function squaredSignal(event: MechanismEvent): Enclosure | null {
  if (event.kind === "gaussian") {
    return Enclosure.of(event.l2SensitivitySquared).dividedBy(Enclosure.of(event.variance));
  }
  return event.kind === "gaussian-entries" ? Enclosure.of(event.squaredSensitivityToNoise) : null;
}

/**
 * The δ of continuous Gaussian noise at ε [BW18, Theorem 8]: Φ(Δ/2σ - εσ/Δ) - e^ε·Φ(-Δ/2σ - εσ/Δ), rounded up: by a
 * relative 1e-15 at most while Δ/σ is above 1e-15, by more below.
 * @param stdDev - σ > 0, in the unit of the sensitivity
 * @param l2Sensitivity - Δ > 0 under the relation that ε is meant for
 * @param epsilon - ε ≥ 0
 */
export function gaussianDelta(options: {
  readonly stdDev: number;
  readonly l2Sensitivity: number;
  readonly epsilon: number;
}): number {
  checkEpsilon(options.epsilon);
  return deltaOfSignal(signalOf(options).squared(), options.epsilon).ceiling();
}

/**
 * The least ε of continuous Gaussian noise at δ, rounded up by at most a relative 1e-13.
 * @param stdDev - σ > 0, in the unit of the sensitivity
 * @param l2Sensitivity - Δ > 0 under the relation that ε is meant for
 * @param delta - 0 ≤ δ ≤ 1
 */
export function gaussianEpsilon(options: {
  readonly stdDev: number;
  readonly l2Sensitivity: number;
  readonly delta: number;
}): number {
  checkDelta(options.delta);
  return epsilonOfSignal(signalOf(options).squared(), options.delta);
}

/**
 * The least σ of continuous Gaussian noise for (ε, δ), rounded up by at most a relative 1e-13 [BW18, Algorithm 1].
 * @param epsilon - 0 ≤ ε < ∞
 * @param delta - 0 < δ < 1
 * @param l2Sensitivity - Δ > 0; the result has its unit
 */
export function gaussianStdDev(options: {
  readonly epsilon: number;
  readonly delta: number;
  readonly l2Sensitivity: number;
}): number {
  const { epsilon, delta, l2Sensitivity } = options;
  // What zCDP asks for is enough: it bounds the same noise less sharply.
  const enough = stdDevFromRho({ rho: rhoFromEpsilon({ epsilon, delta }), l2Sensitivity });
  const deltaAt = (stdDev: number) => gaussianDelta({ stdDev, l2Sensitivity, epsilon });
  if (deltaAt(enough) > delta) return enough;
  let tooLittle = enough / 2;
  while (deltaAt(tooLittle) <= delta) tooLittle /= 2;
  return leastWithin(deltaAt, delta, tooLittle, enough);
}

function signalOf(options: { readonly stdDev: number; readonly l2Sensitivity: number }): Enclosure {
  const { stdDev, l2Sensitivity } = options;
  if (!(stdDev > 0 && l2Sensitivity > 0)) throw new RangeError("σ and the sensitivity must be positive");
  return Enclosure.of(l2Sensitivity).dividedBy(Enclosure.of(stdDev));
}

function epsilonOfSignal(squared: Enclosure, delta: number): number {
  if (squared.isAtMost(0) || delta === 1) return 0;
  if (delta === 0) return Number.POSITIVE_INFINITY;
  const deltaAt = (epsilon: number) => deltaOfSignal(squared, epsilon).ceiling();
  if (deltaAt(0) <= delta) return 0;
  const enough = epsilonOf(squared.dividedBy(Enclosure.of(2)), delta);
  // For a signal so faint that the tails' digits do not tell them apart, zCDP's bound is the better one.
  if (enough === Number.POSITIVE_INFINITY || deltaAt(enough) > delta) return enough;
  let tooLittle = enough / 2;
  while (deltaAt(tooLittle) <= delta) tooLittle /= 2;
  return leastWithin(deltaAt, delta, tooLittle, enough);
}

/**
 * With μ = Δ/σ, u = ε/μ - μ/2 and v = ε/μ + μ/2, δ = Q(u) - e^ε·Q(v) for the normal's upper tail Q = φ·R. As
 * v² - u² = 2ε, e^ε·φ(v) = φ(u): so δ = φ(u)·(R(u) - R(v)), in which nothing overflows or cancels badly.
 */
function deltaOfSignal(squared: Enclosure, epsilon: number): Enclosure {
  if (squared.isAtMost(0) || epsilon === Number.POSITIVE_INFINITY) return Enclosure.zero;
  const mu = squared.squareRoot();
  const half = mu.dividedBy(Enclosure.of(2));
  const offset = Enclosure.of(epsilon).dividedBy(mu);
  const u = offset.minus(half);
  const density = normalDensity(u);
  const far = millsRatio(offset.plus(half));
  const above = () => density.times(millsRatio(u.max(Enclosure.zero)).minus(far));
  // Q(u) = 1 - Q(-u)
  const below = () =>
    Enclosure.one.minus(density.times(millsRatio(u.negated().max(Enclosure.zero)).plus(far)));
  const delta = u.isAtLeast(0) ? above() : u.isAtMost(0) ? below() : above().hull(below());
  return delta.max(Enclosure.zero).min(Enclosure.one);
}

/** φ(x) = e^(-x²/2)/√(2π) */
function normalDensity(x: Enclosure): Enclosure {
  const two = Enclosure.of(2);
  return x.squared().dividedBy(two).negated().exponential().dividedBy(two.times(Enclosure.pi).squareRoot());
}

const seriesUpTo = 3;
const termBits = 110;

/** Mills' ratio R(x) = Q(x)/φ(x) of the normal distribution, for x ≥ 0, to about 2^-100 relatively. */
function millsRatio(x: Enclosure): Enclosure {
  return x.isAtMost(seriesUpTo) ? millsBySeries(x) : millsByFraction(x);
}

/** R(x) = √(π/2)·e^(x²/2) - Σ x^(2n+1)/(2n+1)!!, all terms positive. */
function millsBySeries(x: Enclosure): Enclosure {
  const square = x.squared();
  const half = Enclosure.of(2);
  let term = x;
  let sum = x;
  // From n = 9 on a term is less than half of the one before it, as x² ≤ 9: the rest is less than the last term.
  for (let n = 1; n < 10 || !term.isAtMost(2 ** -termBits); n++) {
    term = term.times(square).dividedBy(Enclosure.of(2 * n + 1));
    sum = sum.plus(term);
  }
  const withRest = sum.hull(sum.plus(term));
  return Enclosure.pi
    .dividedBy(half)
    .squareRoot()
    .times(square.dividedBy(half).exponential())
    .minus(withRest);
}

/** R(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))) (Laplace): its convergents lie above and below in turn. */
function millsByFraction(x: Enclosure): Enclosure {
  let numerators: readonly [Enclosure, Enclosure] = [Enclosure.zero, Enclosure.one];
  let denominators: readonly [Enclosure, Enclosure] = [Enclosure.one, x];
  let before = Enclosure.one.dividedBy(x);
  for (let k = 1; ; k++) {
    const factor = Enclosure.of(k);
    const next = (pair: readonly [Enclosure, Enclosure]): readonly [Enclosure, Enclosure] => [
      pair[1],
      x.times(pair[1]).plus(factor.times(pair[0])),
    ];
    numerators = next(numerators);
    denominators = next(denominators);
    const convergent = numerators[1].dividedBy(denominators[1]);
    const width = convergent.minus(before).dividedBy(convergent);
    if (width.isAtMost(2 ** -termBits) && width.isAtLeast(-(2 ** -termBits))) return convergent.hull(before);
    before = convergent;
  }
}
