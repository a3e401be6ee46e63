import type { Policy } from "../policy/policy.js";
import type { EgressEntry } from "../studies/records.js";
import type { SignedEntry } from "./entry.js";
import { costs, type EpsilonCost } from "./views.js";

/** One thing that left the hospital, as its own tools show it. */
export interface EgressView extends Omit<EgressEntry, "at" | "charge"> {
  readonly at: string;
  /** What the ledger charged for it; null for what reveals nothing of records. */
  readonly charge: EgressCharge | null;
}

export interface EgressCharge extends EpsilonCost {
  /** The ledger's entry. */
  readonly entry: number;
  readonly population: string;
}

/** The egress log with what each thing cost, by the ledger's entries. */
export function egressView(
  log: readonly EgressEntry[],
  entries: readonly SignedEntry[],
  policy: Policy,
): EgressView[] {
  const bySequence = new Map(entries.map(({ entry }) => [entry.sequence, entry]));
  const costOf = costs(policy);
  return log.map(({ at, charge, ...rest }) => {
    const entry = charge === null ? undefined : bySequence.get(charge);
    return {
      ...rest,
      at: new Date(at).toISOString(),
      charge:
        entry?.kind === "commit"
          ? { entry: entry.sequence, population: entry.population, ...costOf(entry.population, entry) }
          : null,
    };
  });
}
