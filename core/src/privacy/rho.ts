import { assertNever } from "../result.js";
import { distributedRho } from "./distributedNoise.js";
import { Enclosure } from "./enclosure.js";
import { chargesOf, checkEvent, type MechanismEvent, type PrivacyEvent } from "./events.js";

/**
 * ρ of an event with all that it is composed of, under adding or removing one record, rounded up; Infinity where something in it
 * has no bound.
 * @throws RangeError for a malformed event
 */
export function exactRho(event: PrivacyEvent): number {
  let total = Enclosure.zero;
  for (const { event: one, count, records } of chargesOf(checkEvent(event))) {
    const rho = rhoOf(one, records);
    if (rho === null) return Number.POSITIVE_INFINITY;
    total = total.plus(rho.times(Enclosure.of(count)));
  }
  return total.ceiling();
}

/**
 * ρ of one release, under adding or removing `records` records.
 * - Gaussian, also discrete: Δ²/(2σ²) [BS16, Proposition 1.6], [CKS20, Theorem 4]; entries of different variance add.
 * - Distributed discrete Gaussian: `distributedRho`.
 * - Laplace: u + e^-u - 1 with u = Δ1/b [HM26]. For vectors: the bound is convex in u and 0 at 0, so it is
 *   largest when one entry takes all of the change.
 * - Discrete Laplace: as any ε-DP release with ε = Δ1/b, ε·tanh(ε/2) [HM26], which randomised response attains.
 * - Exponential mechanism: ε²/8 [CR21].
 * A Gaussian's m records cost m²ρ [BS16, Proposition 1.9]; for the others m multiplies their ε.
 * @returns null where no bound is proven
 */
export function rhoOf(event: MechanismEvent, records: bigint): Enclosure | null {
  const people = Enclosure.of(records);
  const two = Enclosure.of(2);
  switch (event.kind) {
    case "gaussian":
    case "discrete-gaussian":
      return people
        .squared()
        .times(Enclosure.of(event.l2SensitivitySquared))
        .dividedBy(two.times(Enclosure.of(event.variance)));
    case "gaussian-entries":
    case "discrete-gaussian-entries":
      return people.squared().times(Enclosure.of(event.squaredSensitivityToNoise)).dividedBy(two);
    case "distributed-discrete-gaussian":
      return people.squared().times(distributedRho(event));
    case "laplace":
      return laplaceRho(people.times(pureEpsilon(event)!));
    case "discrete-laplace":
      return pureRho(people.times(pureEpsilon(event)!));
    case "exponential-mechanism":
      return people.times(Enclosure.of(event.epsilon)).squared().dividedBy(Enclosure.of(8));
    case "no-bound":
      return null;
    default:
      return assertNever(event);
  }
}

/** ε of a release that is ε-DP with δ = 0, per record; null for the others. */
export function pureEpsilon(event: MechanismEvent): Enclosure | null {
  switch (event.kind) {
    case "laplace":
    case "discrete-laplace":
      return Enclosure.of(event.l1Sensitivity).dividedBy(Enclosure.of(event.scale));
    case "exponential-mechanism":
      return Enclosure.of(event.epsilon);
    case "gaussian":
    case "discrete-gaussian":
    case "gaussian-entries":
    case "discrete-gaussian-entries":
    case "distributed-discrete-gaussian":
    case "no-bound":
      return null;
    default:
      return assertNever(event);
  }
}

/** u + e^-u - 1, and at most u²/2, which is the sharper enclosure where the sum cancels. */
function laplaceRho(u: Enclosure): Enclosure {
  return u
    .plus(u.negated().exponential())
    .minus(Enclosure.one)
    .min(u.squared().dividedBy(Enclosure.of(2)));
}

/** ε·tanh(ε/2) = ε·(1 - e^-ε)/(1 + e^-ε), and at most ε²/2. */
function pureRho(epsilon: Enclosure): Enclosure {
  const power = epsilon.negated().exponential();
  return epsilon
    .times(Enclosure.one.minus(power))
    .dividedBy(Enclosure.one.plus(power))
    .min(epsilon.squared().dividedBy(Enclosure.of(2)));
}
