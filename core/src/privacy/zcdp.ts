import { type Accountant, accountantOver, type NeighbouringRelation } from "./accountant.js";
import { epsilonOf } from "./conversions.js";
import { deltaOf } from "./deltaConversions.js";
import { Enclosure } from "./enclosure.js";
import { rhoOf } from "./rho.js";

/** ρ-zCDP [BS16]: Rényi divergence of order α at most αρ for all α > 1. ρ adds over releases. */
export interface ZcdpAccountant extends Accountant {
  /** The total ρ, rounded up; Infinity once something without a bound was composed. */
  rho(): number;
}

export function zcdpAccountant(options: {
  readonly neighbouringRelation: NeighbouringRelation;
}): ZcdpAccountant {
  let total = Enclosure.zero;
  let bounded = true;
  const accountant = accountantOver(options.neighbouringRelation, {
    refusal: () => null,
    prepare({ event, count, records }) {
      const rho = rhoOf(event, records)?.times(Enclosure.of(count));
      return () => {
        if (rho === undefined) bounded = false;
        else total = total.plus(rho);
      };
    },
    epsilon: (delta) => (bounded ? epsilonOf(total, delta) : Number.POSITIVE_INFINITY),
    delta: (epsilon) => (bounded ? deltaOf(total, epsilon) : 1),
  });
  return { ...accountant, rho: () => (bounded ? total.ceiling() : Number.POSITIVE_INFINITY) };
}
