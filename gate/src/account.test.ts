import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Account,
  addUp,
  countedFor,
  isWithin,
  plus,
  type Spending,
  type StageCharge,
  spendingFault,
  Totals,
} from "./account.js";
import { chargedEvent, rhoOf } from "./cost.js";

/** A double that is not negative as a whole number of 2^-1074. */
function exact(value: number): bigint {
  const bits = new BigUint64Array(new Float64Array([Math.abs(value)]).buffer)[0]!;
  const exponent = bits >> 52n;
  const fraction = bits & ((1n << 52n) - 1n);
  const whole = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -whole : whole;
}

function nextDown(value: number): number {
  const bits = new BigUint64Array(new Float64Array([value]).buffer);
  return new Float64Array(new BigUint64Array([bits[0]! - 1n]).buffer)[0]!;
}

const rho = fc.double({ min: 0, max: 1e9, noNaN: true });

describe("sums of what was spent", () => {
  it("are the least double that is not less than the sum", () => {
    fc.assert(
      fc.property(rho, rho, (a, b) => {
        const sum = addUp(a, b);
        expect(exact(sum)).toBeGreaterThanOrEqual(exact(a) + exact(b));
        if (sum > 0) expect(exact(nextDown(sum))).toBeLessThan(exact(a) + exact(b));
      }),
      { numRuns: 2_000 },
    );
    // 1 + 2^-60 is lost to rounding, and charged as one unit in the last place.
    expect(addUp(1, 2 ** -60)).toBe(1 + 2 ** -52);
  });

  it("count what has no bound", () => {
    expect(plus({ rho: 1, unbounded: 2 }, null)).toEqual({ rho: 1, unbounded: 3 });
  });
});

const event = chargedEvent({
  query: { kind: "vector", parts: 1, length: 4, limit: 9 },
  scale: 1,
  patients: null,
  noise: { shareVariance: 30, sites: 3, shares: 2 },
});
const charge = (stage: string, changed: Partial<StageCharge> = {}): StageCharge => ({
  stage,
  attempt: 1,
  event,
  rho: rhoOf(event),
  claimed: null,
  ...changed,
});
const reserve = (...stages: StageCharge[]): Spending => ({
  kind: "reserve",
  sequence: 2,
  study: "s",
  population: "adults",
  stages,
});
const commit = (
  stage: StageCharge,
  changed: Partial<{ population: string; study: string }> = {},
): Spending => ({
  kind: "commit",
  sequence: 3,
  study: "s",
  population: "adults",
  ...stage,
  ...changed,
});
const totalsOf = (...entries: Spending[]): Totals => {
  const totals = new Totals();
  for (const entry of entries) totals.add(entry);
  return totals;
};

describe("what may be written", () => {
  it("is set aside once for what it costs, and spent as it was set aside", () => {
    expect(spendingFault(reserve(charge("a"), charge("b")), totalsOf())).toBeNull();
    expect(spendingFault(commit(charge("a")), totalsOf(reserve(charge("a"))))).toBeNull();
    expect(spendingFault({ kind: "release", study: "s" }, totalsOf())).toBeNull();
  });

  it.each<[string, Spending, Spending[]]>([
    ["it does not charge what its event costs", reserve(charge("a", { rho: rhoOf(event) / 2 })), []],
    ["it does not charge what its event costs", reserve(charge("a", { rho: null })), []],
    ["it does not charge what its event costs", reserve(charge("a", { factor: 4 })), []],
    ["its event is none", reserve(charge("a", { event: { ...event, kind: "free" } })), []],
    ["its event is none", reserve(charge("a", { event: { ...event, shareVariance: -30 } })), []],
    ["its event is none", reserve(charge("a", { event: { ...event, noiseShares: 4 } })), []],
    ["its event is none", reserve(charge("a", { event: null })), []],
    ["it reserves what is reserved or spent already", reserve(charge("a")), [reserve(charge("a"))]],
    ["it reserves what is reserved or spent already", reserve(charge("a"), charge("a")), []],
    ["it commits what is not reserved", commit(charge("a")), []],
    ["it commits what is not reserved", commit(charge("a")), [reserve(charge("a")), commit(charge("a"))]],
    [
      "it commits what is not reserved",
      commit(charge("a")),
      [reserve(charge("a")), { kind: "release", study: "s" }],
    ],
    ["it commits something else than was reserved", commit(charge("a", { rho: 0 })), [reserve(charge("a"))]],
    [
      "it commits something else than was reserved",
      commit(charge("a"), { population: "children" }),
      [reserve(charge("a"))],
    ],
  ])("is refused: %s", (fault, entry, before) => {
    expect(spendingFault(entry, totalsOf(...before))).toBe(fault);
  });
});

describe("a population's budget", () => {
  const adults: Account = {
    name: "adults",
    unit: "patient",
    maxRows: 3,
    matches: new Set(["here"]),
    budget: { epsilon: 1, delta: 1e-6 },
  };
  const lost = (population: string, unit: "row" | "patient", sources: string[]): Spending => ({
    kind: "reconcile",
    lost: [{ population, unit, sources, rho: 1, unbounded: 0 }],
  });
  const spent = (...entries: Spending[]) =>
    countedFor(adults, [adults, { name: "children" }], totalsOf(...entries)).committed.rho;

  it("counts what was booked under its name, on its records, or by nobody who is known, in its own unit", () => {
    expect(spent(lost("adults", "patient", ["there"]))).toBe(1);
    expect(spent(lost("children", "patient", ["here"]))).toBe(1);
    expect(spent(lost("elders", "patient", []))).toBe(1);
    expect(spent(lost("children", "patient", []), lost("elders", "patient", ["there"]))).toBe(0);
    expect(spent(lost("adults", "row", []))).toBeGreaterThanOrEqual(9);
  });

  it("is kept to", () => {
    const budget = { epsilon: 1, delta: 1e-6 };
    // ε = 1 at δ = 1e-6 is ρ = 0.0246…
    expect(isWithin(budget, { rho: 0.024, unbounded: 0 })).toBe(true);
    expect(isWithin(budget, { rho: 0.025, unbounded: 0 })).toBe(false);
    expect(isWithin(budget, { rho: 0, unbounded: 3 })).toBe(true);
    expect(isWithin(budget, { rho: Number.NaN, unbounded: 0 })).toBe(false);
  });
});
