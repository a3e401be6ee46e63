import type { StudySummary } from "@consilium/core/operator/views";

/** How many studies were begun in each of the last weeks, by how they stand. */

export const trendParts = ["released", "running", "failed", "cancelled"] as const;
export type TrendPart = (typeof trendParts)[number];

export interface TrendWeek {
  /** When it begins, milliseconds since 1970. */
  readonly from: number;
  readonly counts: Readonly<Record<TrendPart, number>>;
}

export const trendWeeks = 12;
const weekMs = 7 * 86_400_000;

type Begun = Pick<StudySummary, "createdAt" | "status">;

/** The last weeks, oldest first; the last of them ends now. */
export function trendOf(studies: readonly Begun[], now: number): TrendWeek[] {
  const weeks = Array.from({ length: trendWeeks }, (_, at) => ({
    from: now - (trendWeeks - at) * weekMs,
    counts: { released: 0, running: 0, failed: 0, cancelled: 0 },
  }));
  for (const { createdAt, status } of studies) {
    const age = Math.max(0, Math.floor((now - Date.parse(createdAt)) / weekMs));
    const week = weeks[trendWeeks - 1 - age];
    if (week !== undefined) week.counts[partOf(status)]++;
  }
  return weeks;
}

function partOf(status: Begun["status"]): TrendPart {
  return status === "released" || status === "failed" || status === "cancelled" ? status : "running";
}
