import { describe, expect, it } from "vitest";
import { checkQuery } from "./checkQuery.js";
import { type ChargedEvent, chargedEvent, holdsCharge, rhoOf, type Terms, weightOfEntry } from "./cost.js";
import { lengthOf, type Query } from "./query.js";

const counts: Query = { kind: "histogram", cells: 10, touches: 2, channels: [{ least: 0, most: 3 }] };
const gram: Query = { kind: "gram", parts: 2, order: 3, limit: 50 };
const noise = { shareVariance: 20, sites: 5, shares: 3 };
const terms: Terms = { query: counts, scale: 1, patients: null, noise };

describe("the event of a stage", () => {
  it("has its sensitivity from the query, on the grid that noise is added to", () => {
    expect(chargedEvent(terms)).toEqual({
      kind: "distributed-discrete-gaussian",
      l2SensitivitySquared: 18,
      shareVariance: 20,
      groups: [{ entries: 10, weight: 1 }],
      sites: 5,
      noiseShares: 3,
    });
    expect(chargedEvent({ ...terms, scale: 4 })).toMatchObject({ l2SensitivitySquared: 18 * 16 });
  });

  it("counts entries off a triangle's diagonal twice, as their noise is drawn", () => {
    const event = chargedEvent({ ...terms, query: gram });
    expect(event).toMatchObject({
      l2SensitivitySquared: 2500,
      groups: [
        { entries: 6, weight: 1 },
        { entries: 6, weight: 2 },
      ],
    });
    const weights = Array.from({ length: lengthOf(gram) }, (_, i) => weightOfEntry(gram)(i));
    expect(weights).toEqual([1, 2, 2, 1, 2, 1, 1, 2, 2, 1, 2, 1]);
  });

  it("is that of a whole patient, who counts once or as each of the rows", () => {
    const rows = chargedEvent({ ...terms, patients: { rowsMost: 3, unit: null } });
    expect(rows).toMatchObject({ kind: "group", records: 3, event: { l2SensitivitySquared: 18 } });
    expect(rhoOf(rows)).toBe(9 * rhoOf(chargedEvent(terms)));
    const once = chargedEvent({ ...terms, patients: { rowsMost: 3, unit: 6 } });
    expect(once).toMatchObject({ kind: "distributed-discrete-gaussian", l2SensitivitySquared: 18 * 36 });
    const divided = chargedEvent({ ...terms, query: gram, patients: { rowsMost: 3, unit: 6 } });
    expect(divided).toMatchObject({ l2SensitivitySquared: 2500 });
  });

  it.each([
    ["a scale that is no power of two", { scale: 3 }],
    ["a scale below 1", { scale: 0.5 }],
    ["integers too large to count their squares", { scale: 2 ** 30 }],
    ["noise too coarse for a proof", { noise: { ...noise, shareVariance: 0.2 } }],
    ["noise without end", { noise: { ...noise, shareVariance: Number.POSITIVE_INFINITY } }],
    ["no share of noise that is certain", { noise: { ...noise, shares: 0 } }],
    ["more shares than sites", { noise: { ...noise, shares: 6 } }],
    ["more sites than a study can have", { noise: { ...noise, sites: 2 ** 53 - 1 } }],
    ["patients whose rows weigh nothing", { patients: { rowsMost: 3, unit: 0 } }],
    ["patients without rows", { patients: { rowsMost: 0, unit: null } }],
  ])("is not made of %s", (_, changed) => {
    expect(() => chargedEvent({ ...terms, ...changed })).toThrow(RangeError);
  });
});

it.each([[], null, "-2", -0.5, 1, -(2 ** 31)])("takes no query whose channel begins at %j", (least) => {
  const channels = [{ least: least as number, most: 3 }];
  expect(() => checkQuery({ ...counts, channels } as Query)).toThrow(RangeError);
});

describe("ρ", () => {
  it("is Δ²/(2σ²) where shares of noise are broad", () => {
    expect(rhoOf(chargedEvent(terms))).toBeCloseTo(18 / (2 * 60), 14);
  });

  it("is more where they are coarse: the least of three bounds", () => {
    const coarse = chargedEvent({ ...terms, noise: { ...noise, shareVariance: 0.5 } });
    const tau = 10 * [1, 2, 3, 4].reduce((sum, k) => sum + Math.exp((-(Math.PI ** 2) * k) / (k + 1)), 0);
    const signal = 18 / 1.5;
    const bounds = [
      signal / 2 + 10 * tau,
      (signal + (36 * tau) / Math.sqrt(1.5) + 10 * tau ** 2) / 2,
      (Math.sqrt(signal) + tau * Math.sqrt(10)) ** 2 / 2,
    ];
    expect(rhoOf(coarse)).toBeCloseTo(Math.min(...bounds), 12);
  });
});

describe("what a ledger books", () => {
  const event = chargedEvent(terms);
  const rho = rhoOf(event);

  it("holds from ρ on, times as often as it is to be", () => {
    expect(holdsCharge(event, { rho, factor: 1 })).toBe(true);
    expect(holdsCharge(event, { rho: 9 * rho, factor: 9 })).toBe(true);
    expect(holdsCharge(event, { rho: rho * (1 - 1e-8), factor: 1 })).toBe(false);
    expect(holdsCharge(event, { rho, factor: 9 })).toBe(false);
    expect(holdsCharge(event, { rho: null, factor: 1 })).toBe(false);
    expect(holdsCharge(event, { rho: Number.NaN, factor: 1 })).toBe(false);
  });

  it("is without a bound for a stage without noise", () => {
    const none: ChargedEvent = chargedEvent({ ...terms, noise: null });
    expect(none).toEqual({ kind: "no-bound", reason: "none" });
    expect(holdsCharge(none, { rho: null, factor: 1 })).toBe(true);
    expect(holdsCharge(none, { rho: 1e9, factor: 1 })).toBe(false);
  });
});
