import type { LedgerSeriesView } from "@consilium/core/hospital/ledgerViews";
import { type Policy, populations } from "../policy/policy.js";
import type { SignedEntry } from "./entry.js";
import { epsilonOf, plusSpent, shownUp, Totals } from "./totals.js";
import { shownDelta, shownDigits } from "./views.js";

/** Points of one population's curve at most: a screen has no more columns. */
const pointsMost = 500;

/**
 * What each population had spent after each entry that touched it: ε at the δ that its budget has now, rounded up. ε
 * does not add, so every point is computed from the ρ of all entries before it. Where there are more entries than a
 * screen has columns, some between are left out; never the first and the last.
 */
export function ledgerSeries(entries: readonly SignedEntry[], policy: Policy): LedgerSeriesView[] {
  const budgets = new Map(populations(policy).map((one) => [one.name, one.budget] as const));
  const touched = new Map<string, number[]>();
  entries.forEach(({ entry }, index) => {
    for (const name of touchedBy(entry)) {
      const indices = touched.get(name) ?? [];
      touched.set(name, indices);
      indices.push(index);
    }
  });
  const wanted = new Map<string, ReadonlySet<number>>(
    [...touched].map(([name, indices]) => [name, new Set(thinned(indices))] as const),
  );
  const series = new Map(
    [...new Set([...budgets.keys(), ...touched.keys()])].map((name) => {
      const budget = budgets.get(name) ?? null;
      const points: LedgerSeriesView["points"] = [];
      const one = {
        population: name,
        delta: budget?.delta ?? shownDelta,
        limit: budget?.epsilon ?? null,
        points,
      };
      return [name, one] as const;
    }),
  );
  const totals = new Totals();
  entries.forEach(({ entry }, index) => {
    totals.add(entry);
    for (const name of touchedBy(entry)) {
      if (wanted.get(name)?.has(index) !== true) continue;
      const one = series.get(name)!;
      const committed = totals.committed(name);
      one.points.push({
        at: new Date(entry.at).toISOString(),
        entry: entry.sequence,
        spent: shownUp(epsilonOf(committed, one.delta), shownDigits),
        held: shownUp(epsilonOf(plusSpent(committed, totals.reserved(name)), one.delta), shownDigits),
        unproved: committed.unbounded,
      });
    }
  });
  return [...series.values()];
}

function touchedBy(entry: SignedEntry["entry"]): string[] {
  switch (entry.kind) {
    case "open":
      return [];
    case "reserve":
    case "commit":
    case "release":
      return [entry.population];
    case "reconcile":
      return Object.keys(entry.lost);
  }
}

function thinned(indices: readonly number[]): number[] {
  if (indices.length <= pointsMost) return [...indices];
  const step = (indices.length - 1) / (pointsMost - 1);
  return Array.from({ length: pointsMost }, (_, k) => indices[Math.round(k * step)]!);
}
