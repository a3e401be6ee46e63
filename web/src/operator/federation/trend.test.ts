import { expect, it } from "vitest";
import { trendOf, trendWeeks } from "./trend";

it("counts studies by the week in which they were begun, and by how they stand", () => {
  const now = Date.parse("2026-03-04T12:00:00Z");
  const study = (daysAgo: number, status: "released" | "inviting" | "failed") => ({
    status,
    createdAt: new Date(now - daysAgo * 86_400_000).toISOString(),
  });
  const weeks = trendOf(
    [
      study(0, "inviting"),
      study(6, "released"),
      study(8, "released"),
      study(83, "failed"),
      study(200, "failed"),
    ],
    now,
  );
  expect(weeks).toHaveLength(trendWeeks);
  expect(weeks.at(-1)!.counts).toEqual({ released: 1, running: 1, failed: 0, cancelled: 0 });
  expect(weeks.at(-2)!.counts.released).toBe(1);
  expect(weeks[0]!.counts.failed).toBe(1);
  // A clock that is behind the aggregator's.
  expect(trendOf([study(-1, "inviting")], now).at(-1)!.counts.running).toBe(1);
});
