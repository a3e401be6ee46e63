import { addUp, type Booked, nothing, plusSpent, type Spent, type Totals } from "@consilium/gate/account";

/** What heads and declarations are made of: sums over the gate's account. */

/** a - b, rounded up, and nothing where b is more. */
export function minusSpent(a: Spent, b: Spent): Spent {
  return {
    rho: a.rho <= b.rho ? 0 : addUp(a.rho, -b.rho),
    unbounded: Math.max(0, a.unbounded - b.unbounded),
  };
}

/** What every population has spent, by unit; the sources of each together. */
export function spendingOf(totals: Totals): Booked[] {
  const together = new Map<string, Booked>();
  for (const one of totals.bookings()) {
    const key = JSON.stringify([one.population, one.unit]);
    const before = together.get(key) ?? { ...one, sources: [], ...nothing };
    const sources = [...new Set([...before.sources, ...one.sources])].sort();
    together.set(key, { ...one, sources, ...plusSpent(before, one) });
  }
  return [...together].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** What is booked under a population's name, each entry in its own unit. */
export function spentUnder(population: string, booked: readonly Booked[]): Spent {
  return booked.filter((one) => one.population === population).reduce<Spent>(plusSpent, nothing);
}

/** Every population that anything is reserved or spent for. */
export function populationsOf(totals: Totals): string[] {
  const booked = [...totals.bookings(), ...totals.reservations()];
  return [...new Set(booked.map(({ population }) => population))].sort();
}
