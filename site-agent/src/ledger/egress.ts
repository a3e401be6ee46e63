import type { EgressView } from "@consilium/core/hospital/ledgerViews";
import type { Policy } from "../policy/policy.js";
import type { EgressEntry } from "./egressLog.js";
import type { SignedEntry } from "./entry.js";
import { costs } from "./ledgerView.js";

/** The egress log with what each thing cost, by the ledger's entries. */
export function egressView(
  log: readonly EgressEntry[],
  entries: readonly SignedEntry[],
  policy: Policy,
): EgressView[] {
  const bySequence = new Map(entries.map(({ entry }) => [entry.sequence, entry]));
  const costOf = costs(policy);
  return log.map(({ at, lastAt, charge, ...rest }) => {
    const entry = charge === null ? undefined : bySequence.get(charge);
    return {
      ...rest,
      at: new Date(at).toISOString(),
      lastAt: new Date(lastAt).toISOString(),
      charge:
        entry?.kind === "commit"
          ? { entry: entry.sequence, population: entry.population, ...costOf(entry.population, entry) }
          : null,
    };
  });
}
