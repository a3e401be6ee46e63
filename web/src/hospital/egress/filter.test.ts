import type { EgressView } from "@consilium/core/hospital/ledgerViews";
import { describe, expect, it } from "vitest";
import { dependsOnRecords, filterEgress, totalsOf } from "./filter.js";

const charge = {
  entry: 2,
  population: "default",
  epsilon: 1,
  delta: 1e-6,
  unit: "row" as const,
  claimedEpsilon: null,
};
const left = (study: string | null, what: string, isCharged: boolean): EgressView => ({
  at: "2026-05-06T00:00:00Z",
  lastAt: "2026-05-06T00:00:00Z",
  messages: study === null ? 9 : 1,
  isChained: study === null,
  study,
  step: "s",
  what,
  whom: "the aggregator",
  bytes: 10,
  sha256: "ab",
  charge: isCharged ? charge : null,
});
const log = [
  left("a-1", "keys", false),
  left("a-1", "vector", true),
  left("b-2", "vector", true),
  left(null, "heartbeat", false),
];
const none = { study: "", what: "all", charged: "all" } as const;

describe("the egress log, filtered", () => {
  it("is the newest first, by study, kind and cost", () => {
    expect(filterEgress(log, none)).toEqual([...log].reverse());
    expect(filterEgress(log, { ...none, study: " a-" })).toHaveLength(2);
    expect(filterEgress(log, { ...none, what: "keys" })).toEqual([log[0]]);
    expect(filterEgress(log, { ...none, charged: "charged" })).toHaveLength(2);
    expect(filterEgress(log, { ...none, charged: "free" })).toEqual([log[3], log[0]]);
  });

  it("adds up", () => {
    expect(totalsOf(log)).toEqual({ messages: 12, bytes: 40, depending: 2 });
  });

  it("knows what depends on records, also without the charge", () => {
    expect(log.map(dependsOnRecords)).toEqual([false, true, true, false]);
    expect(dependsOnRecords({ what: "masked vector", charge: null })).toBe(true);
  });
});
