import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEvent } from "../../testing/privacy/events.js";
import { canonicalJson } from "../canonicalJson.js";
import { unwrap } from "../result.js";
import { chargesOf, checkEvent, type PrivacyEvent, parseEvent } from "./events.js";

const gaussian: PrivacyEvent = { kind: "gaussian", l2SensitivitySquared: 2, variance: 9 };

describe("parseEvent", () => {
  it("reads back every event that was written as JSON", () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(unwrap(parseEvent(JSON.parse(canonicalJson(event))))).toEqual(event);
      }),
    );
  });

  it("refuses what is not exactly an event, and never throws", () => {
    const distributed = {
      kind: "distributed-discrete-gaussian",
      l2SensitivitySquared: 4,
      shareVariance: 8,
      groups: [{ entries: 3, weight: 1 }],
      sites: 4,
      noiseShares: 3,
    };
    expect(parseEvent(distributed).ok).toBe(true);
    const bad: unknown[] = [
      null,
      7,
      {},
      { kind: "uniform" },
      { ...gaussian, extra: 1 },
      { ...gaussian, variance: 0 },
      { ...gaussian, variance: Number.NaN },
      { ...gaussian, variance: Number.POSITIVE_INFINITY },
      { ...gaussian, l2SensitivitySquared: "2" },
      { kind: "gaussian" },
      { kind: "no-bound", reason: "" },
      { kind: "composed", events: [{ kind: "uniform" }] },
      { kind: "repeated", event: gaussian, count: 0 },
      { kind: "repeated", event: gaussian, count: 1.5 },
      { kind: "group", event: gaussian, records: -1 },
      { kind: "group", event: gaussian, records: 2, more: true },
      { ...distributed, l2SensitivitySquared: 4.5 },
      { ...distributed, noiseShares: 5 },
      { ...distributed, shareVariance: 0.2 },
      { ...distributed, groups: [] },
      { ...distributed, groups: [{ entries: 1, weight: 64 }] },
    ];
    for (const raw of bad) {
      const read = parseEvent(raw);
      expect(read.ok, JSON.stringify(raw)).toBe(false);
      if (!read.ok) expect(read.error.code).toBe("FIELD_INVALID");
    }
    fc.assert(fc.property(fc.anything(), (raw) => typeof parseEvent(raw).ok === "boolean"));
  });

  it("refuses nesting without end", () => {
    let event: PrivacyEvent = gaussian;
    for (let depth = 0; depth < 16; depth++) event = { kind: "composed", events: [event] };
    expect(parseEvent(event).ok).toBe(true);
    expect(parseEvent({ kind: "composed", events: [event] }).ok).toBe(false);
  });
});

describe("checkEvent", () => {
  it("gives a frozen copy that the caller's later changes do not reach", () => {
    const inner = { kind: "gaussian" as const, l2SensitivitySquared: 1, variance: 4 };
    const events: PrivacyEvent[] = [inner];
    const checked = checkEvent({ kind: "composed", events });
    inner.variance = 1e9;
    events.push(gaussian);
    expect(checked).toEqual({
      kind: "composed",
      events: [{ kind: "gaussian", l2SensitivitySquared: 1, variance: 4 }],
    });
    expect(Object.isFrozen(checked)).toBe(true);
  });
});

describe("chargesOf", () => {
  it("multiplies repetitions and groups, which may nest", () => {
    const event: PrivacyEvent = {
      kind: "group",
      records: 3,
      event: {
        kind: "repeated",
        count: 5,
        event: { kind: "composed", events: [gaussian, { kind: "repeated", count: 2, event: gaussian }] },
      },
    };
    expect(chargesOf(event)).toEqual([
      { event: gaussian, count: 5n, records: 3n },
      { event: gaussian, count: 10n, records: 3n },
    ]);
    expect(chargesOf({ kind: "composed", events: [] })).toEqual([]);
  });
});
