import { type Accountant, accountantOver, type NeighbouringRelation } from "../../src/privacy/accountant.js";
import { epsilonAtOrder, epsilonOf, shortened } from "../../src/privacy/conversions.js";
import { deltaAtOrder, deltaOf } from "../../src/privacy/deltaConversions.js";
import { Enclosure } from "../../src/privacy/enclosure.js";
import type { MechanismEvent } from "../../src/privacy/events.js";
import { pureEpsilon, rhoOf } from "../../src/privacy/rho.js";

/**
 * Rényi accounting [Mir17]: the divergence of every order α > 1 adds over releases, and each order gives an (ε, δ)
 * by [CKS20, Proposition 12]. Sharper than zCDP where releases are not Gaussian.
 *
 * As long as every divergence is αρ the best order is found exactly, as in `conversions`. Otherwise it is sought on
 * the grid α - 1 = 2^(j/2), j = -60 to 60, and then between the neighbours of the best one by golden sections. Any
 * order is sound, so only the final evaluation is done with directed rounding. Order ∞ counts too: a total that is
 * ε-DP is never charged more than that ε.
 */
export interface RdpAccountant extends Accountant {
  /**
   * The total Rényi divergence of one order, rounded up; Infinity once something without a bound was composed.
   * @param order - α > 1
   */
  divergence(order: number): number;
}

/** The Rényi divergence of one release as a function of x = α - 1. */
interface Curve {
  /** In plain doubles, to find a good order. */
  approximate(x: number): number;
  enclose(x: Enclosure): Enclosure;
}

export function rdpAccountant(options: {
  readonly neighbouringRelation: NeighbouringRelation;
}): RdpAccountant {
  /** Σ ρ of the releases whose divergence is αρ. */
  let linear = Enclosure.zero;
  /** The others, equal ones together. */
  const curves = new Map<string, { readonly curve: Curve; count: bigint }>();
  /** Σ ε of releases that are ε-DP; null once one is not. */
  let pure: Enclosure | null = Enclosure.zero;
  let bounded = true;

  const enclose = (x: Enclosure): Enclosure =>
    [...curves.values()].reduce(
      (sum, { curve, count }) => sum.plus(curve.enclose(x).times(Enclosure.of(count))),
      linear.times(Enclosure.one.plus(x)),
    );
  const approximate = (x: number): number => {
    let sum = (1 + x) * linear.ceiling();
    for (const { curve, count } of curves.values()) sum += curve.approximate(x) * Number(count);
    return sum;
  };

  const accountant = accountantOver(options.neighbouringRelation, {
    refusal: () => null,
    prepare({ event, count, records }) {
      const epsilon = pureEpsilon(event);
      const times = Enclosure.of(count);
      const rho = rhoOf(event, records);
      if (rho === null || epsilon === null) {
        const added = rho?.times(times);
        return () => {
          pure = null;
          if (added === undefined) bounded = false;
          else linear = linear.plus(added);
        };
      }
      const scaled = epsilon.times(Enclosure.of(records));
      const curve = curveOf(event, scaled, rho);
      const spent = scaled.times(times);
      const key = `${records} ${JSON.stringify(event)}`;
      return () => {
        pure = pure?.plus(spent) ?? null;
        const known = curves.get(key);
        if (known === undefined) curves.set(key, { curve, count });
        else known.count += count;
      };
    },
    epsilon(delta) {
      if (!bounded) return Number.POSITIVE_INFINITY;
      if (curves.size === 0) return epsilonOf(linear, delta);
      const simple = pure?.ceiling() ?? Number.POSITIVE_INFINITY;
      if (delta === 0) return simple;
      const wanted = -Math.log(delta);
      const x = bestOrder((x) => approximate(x) + (wanted - Math.log1p(x)) / x - Math.log1p(1 / x));
      return Math.min(simple, epsilonAtOrder(x, enclose(x), delta).ceiling());
    },
    delta(epsilon) {
      if (epsilon === Number.POSITIVE_INFINITY) return bounded ? 0 : 1;
      if (!bounded) return 1;
      if (curves.size === 0) return deltaOf(linear, epsilon);
      if (pure?.isAtMost(epsilon)) return 0;
      const x = bestOrder((x) => x * (approximate(x) - epsilon - Math.log1p(1 / x)) - Math.log1p(x));
      return deltaAtOrder(x, enclose(x), epsilon).ceiling();
    },
  });
  return {
    ...accountant,
    divergence(order) {
      if (!(order > 1 && order < Number.POSITIVE_INFINITY)) throw new RangeError("the order must exceed 1");
      return bounded ? enclose(Enclosure.of(order).minus(Enclosure.one)).ceiling() : Number.POSITIVE_INFINITY;
    },
  };
}

const gridFrom = -60;
const gridTo = 60;
const golden = (Math.sqrt(5) - 1) / 2;

/** A good x = α - 1 for a function that is to be least. */
function bestOrder(cost: (x: number) => number): Enclosure {
  const at = (half: number) => cost(2 ** (half / 2));
  let best = gridFrom;
  for (let j = gridFrom + 1; j <= gridTo; j++) if (at(j) < at(best)) best = j;
  let [low, high] = [best - 1, best + 1];
  while (high - low > 2 ** -20) {
    const left = high - golden * (high - low);
    const right = low + golden * (high - low);
    if (at(left) <= at(right)) high = right;
    else low = left;
  }
  return Enclosure.of(shortened(2 ** ((low + high) / 4)));
}

/** The curve of an ε-DP release; never above αρ. */
function curveOf(event: MechanismEvent, epsilon: Enclosure, rho: Enclosure): Curve {
  const sharp = event.kind === "laplace" ? laplaceCurve(epsilon) : pureCurve(epsilon);
  const slope = rho.ceiling();
  return {
    approximate: (x) => Math.min(sharp.approximate(x), (1 + x) * slope),
    enclose: (x) => sharp.enclose(x).min(rho.times(Enclosure.one.plus(x))),
  };
}

/**
 * Laplace noise with u = Δ1/b [Mir17, Proposition 6]: log((α·e^((α-1)u) + (α-1)·e^(-αu))/(2α-1))/(α-1). A logarithm of
 * a sum of exponentials is convex in u, and this one is 0 at 0: a vector costs most if one entry takes all the change.
 */
function laplaceCurve(u: Enclosure): Curve {
  const middle = u.ceiling();
  return {
    approximate: (x) => middle + Math.log1p((x * Math.expm1(-(2 * x + 1) * middle)) / (2 * x + 1)) / x,
    enclose(x) {
      const order = Enclosure.one.plus(x);
      const width = order.plus(x);
      const inner = order.plus(x.times(width.times(u).negated().exponential())).dividedBy(width);
      return u.plus(inner.logarithm().dividedBy(x));
    },
  };
}

/**
 * Any ε-DP release [BS16, Proposition 3.3]: ε - log((1 + e^-ε)/(1 + e^-(2α-1)ε))/(α-1), which randomised response
 * attains, and the discrete Laplace of sensitivity 1 with it.
 */
function pureCurve(epsilon: Enclosure): Curve {
  const middle = epsilon.ceiling();
  return {
    approximate(x) {
      const far = Math.exp(-(2 * x + 1) * middle);
      return middle - Math.log1p((Math.exp(-middle) - far) / (1 + far)) / x;
    },
    enclose(x) {
      const width = x.plus(x).plus(Enclosure.one);
      const near = Enclosure.one.plus(epsilon.negated().exponential());
      const far = Enclosure.one.plus(width.times(epsilon).negated().exponential());
      return epsilon.minus(near.dividedBy(far).logarithm().dividedBy(x));
    },
  };
}
