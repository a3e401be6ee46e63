import type { BudgetUse, UnprovenStudy } from "@consilium/core/hospital/statusViews";
import { epsilonFromRho, rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { addUp, countedFor, plusSpent, type Totals } from "@consilium/gate/account";
import type { Policy } from "../policy/policy.js";
import { tablesOf } from "../policy/populations.js";
import type { SiteRecords } from "../studies/records.js";
import type { KnownTables } from "../tables/knownTables.js";
import { type Account, accountsOf } from "./accounts.js";
import type { SignedEntry } from "./entry.js";
import { epsilonOf, shownDown, shownUp } from "./epsilon.js";
import { shownDigits } from "./views.js";

/** What is used of each population's budget, and which study would still fit. */
export function budgetUses(
  totals: Totals,
  policy: Policy,
  tables: KnownTables,
  records: Pick<SiteRecords, "unanswered">,
): BudgetUse[] {
  const accounts = accountsOf(policy, tables);
  return accounts.map((account): BudgetUse => {
    const { name, unit, delta, budget } = account;
    const { committed, reserved } = countedFor(account, accounts, totals);
    const spent = plusSpent(committed, reserved);
    const held = epsilonOf(spent, delta);
    return {
      population: name,
      unit,
      delta,
      limit: budget?.epsilon ?? null,
      held: shownUp(held, shownDigits),
      remaining: budget === null ? null : Math.max(0, shownDown(budget.epsilon - held, shownDigits)),
      fits: fitting(account, spent.rho, policy.perStudy.epsilon ?? null),
      unproven: committed.unbounded,
      unanswered: records.unanswered(tablesOf(policy, name, tables)),
      maxUnanswered: policy.maxUnanswered,
    };
  });
}

/** Digits after the point of the ε that still fits: nobody plans by more. */
const fitDigits = 2;

/**
 * ε of the largest study that still fits beside ρ, rounded down; never more than one study may cost.
 * @returns null where nothing limits it
 */
function fitting({ budget }: Account, rho: number, perStudy: number | null): number | null {
  if (budget === null) return perStudy;
  const left = addUp(rhoFromEpsilon(budget), -rho);
  const fits = left <= 0 ? 0 : shownDown(epsilonFromRho({ rho: left, delta: budget.delta }), fitDigits);
  return Math.min(fits, perStudy ?? fits);
}

/** Of these many studies: a page lists no more. */
const studiesMost = 20;

/** What sends, or sent, data without a proof, newest first, from the entries that are not archived. */
export function unprovenStudies(
  entries: readonly SignedEntry[],
  studyOf: (id: string) => { readonly name: string; readonly isRunning: boolean } | null,
): UnprovenStudy[] {
  const found = new Map<string, { population: string; sends: number; at: number }>();
  for (const { entry } of entries) {
    if (entry.kind === "release" && found.get(entry.study)?.sends === 0) found.delete(entry.study);
    if (entry.kind !== "reserve" && entry.kind !== "commit") continue;
    const isUnproven =
      entry.kind === "commit" ? entry.rho === null : entry.stages.some(({ rho }) => rho === null);
    if (!isUnproven) continue;
    const { study, population, at } = entry;
    const sends = (found.get(study)?.sends ?? 0) + (entry.kind === "commit" ? 1 : 0);
    found.set(study, { population, sends, at });
  }
  return [...found]
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, studiesMost)
    .map(([id, { population, sends, at }]) => ({
      id,
      population,
      sends,
      lastAt: new Date(at).toISOString(),
      ...(studyOf(id) ?? { name: id, isRunning: false }),
    }));
}
