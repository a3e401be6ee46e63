import type { LedgerSeriesView } from "@consilium/core/hospital/ledgerViews";

export interface Step {
  readonly at: Date;
  readonly spent: number;
  readonly held: number;
  readonly unproved: number;
}

/** A margin before the first entry, so that the curve visibly rises from 0. */
const leadShare = 0.05;
const leadLeastMs = 60_000;

/** A curve that starts at 0 shortly before the first entry and continues at its last value until now. */
export function stepsUntil({ points }: Pick<LedgerSeriesView, "points">, nowMs: number): Step[] {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  const begin = Date.parse(first.at);
  const end = Math.max(nowMs, Date.parse(last.at));
  const lead = Math.max(leadLeastMs, (end - begin) * leadShare);
  const steps = points.map(({ at, spent, held, unproved }) => ({ at: new Date(at), spent, held, unproved }));
  return [
    { at: new Date(begin - lead), spent: 0, held: 0, unproved: 0 },
    ...steps,
    { ...steps.at(-1)!, at: new Date(end) },
  ];
}
