import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import type { Booked } from "@consilium/gate/account";
import { timesUp } from "@consilium/gate/account";
import type { Policy } from "../policy/policy.js";
import type { KnownTables } from "../tables/knownTables.js";
import { accountsOf, goneAccount } from "./accounts.js";
import { epsilonOf } from "./epsilon.js";
import type { Declaration, Ledger } from "./ledger.js";
import { populationsOf } from "./spending.js";

/**
 * What a person's word comes to where a copy of the ledger has lost entries and nothing at the hospital shows what they
 * spent: so much ε in every population that policy or ledger knows, for nobody knows which of them spent it. A method
 * without a proof may have run where the policy allows such: then each population has no proven bound any more.
 */
export function declared(
  epsilon: number,
  known: { readonly ledger: Pick<Ledger, "totals">; readonly policy: Policy; readonly tables: KnownTables },
): Declaration {
  const { ledger, policy, tables } = known;
  const accounts = accountsOf(policy, tables);
  const gone = populationsOf(ledger.totals)
    .filter((name) => accounts.every((account) => account.name !== name))
    .map((name) => goneAccount(ledger.totals, name));
  const unbounded = policy.variants.includes("paper") ? 1 : 0;
  const lost = [...accounts, ...gone].map(
    ({ name, unit, delta }): Booked => ({
      population: name,
      unit,
      sources: [],
      rho: rhoCosting(epsilon, delta),
      unbounded,
    }),
  );
  return { epsilon, lost };
}

/** A ρ that costs at least ε at δ. */
function rhoCosting(epsilon: number, delta: number): number {
  let rho = rhoFromEpsilon({ epsilon, delta });
  while (epsilonOf({ rho, unbounded: 0 }, delta) < epsilon) rho = timesUp(rho * (1 + 1e-12), 2) / 2;
  return rho;
}
