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
const noBound = { kind: "no-bound", reason: "none" };
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

describe("a study's ceiling", () => {
  const one = rhoOf(event);
  /** What a caller may try; each attempt costs so many times the event. */
  const tried = fc.oneof(
    fc.record({
      kind: fc.constant("reserve" as const),
      attempt: fc.integer({ min: 1, max: 3 }),
      times: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ kind: fc.constant("commit" as const), attempt: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant("release" as const) }),
  );
  const ceiling = { rho: 2 * one, unbounded: 0 };
  const written = (attempt: number, times: number) => charge("a", { attempt, rho: times * one });
  /** The most that a study spends by whatever a caller tries and `fault` lets through, over its event's ρ. */
  const spentBy = (
    tries: readonly (typeof tried extends fc.Arbitrary<infer T> ? T : never)[],
    fault: typeof spendingFault,
  ): number => {
    const totals = totalsOf({ ...reserve(charge("a", { attempt: 10 })), ceiling } as Spending);
    for (const each of tries) {
      const known = each.kind === "commit" ? totals.stage("s", "a", each.attempt) : null;
      const entry: Spending | null =
        each.kind === "reserve"
          ? reserve(written(each.attempt, each.times))
          : each.kind === "release"
            ? { kind: "release", study: "s" }
            : known && commit({ ...written(each.attempt, 1), rho: known.rho });
      if (entry !== null && fault(entry, totals) === null) totals.add(entry);
    }
    return totals.bookings().reduce((sum, { rho }) => sum + rho, 0) / one;
  };
  /** As it was before there were ceilings: each reservation is judged by itself. */
  const forgetful: typeof spendingFault = (entry, totals) => {
    const fault = spendingFault(entry, totals);
    const alone = entry.kind === "reserve" && entry.stages.every(({ rho }) => rho! <= ceiling.rho);
    return fault === "it reserves beyond the study's ceiling" && alone ? null : fault;
  };

  it("bounds all attempts together, no matter who asks, where judging each by itself does not", () => {
    const holds = (fault: typeof spendingFault) =>
      fc.property(
        fc.array(tried, { minLength: 10, maxLength: 30 }),
        (tries) => spentBy(tries, fault) <= 2 * (1 + 1e-9),
      );
    expect(fc.check(holds(spendingFault), { numRuns: 500, seed: 1 }).failed).toBe(false);
    expect(fc.check(holds(forgetful), { numRuns: 500, seed: 1 }).failed).toBe(true);
  });

  it.each<[string | null, Spending, Spending[]]>([
    [null, { ...reserve(charge("a"), charge("b")), ceiling } as Spending, []],
    [
      "it reserves beyond the study's ceiling",
      { ...reserve(...["a", "b", "c"].map((id) => charge(id))), ceiling } as Spending,
      [],
    ],
    [
      "it changes the study's ceiling",
      { ...reserve(charge("b")), ceiling } as Spending,
      [{ ...reserve(charge("a")), ceiling } as Spending],
    ],
    [
      "it reserves for a study without a ceiling",
      { ...reserve(charge("a")), study: "t" } as Spending,
      [{ ...reserve(charge("a")), ceiling } as Spending],
    ],
    [
      "it reserves beyond the study's ceiling",
      { ...reserve(charge("a", { event: noBound, rho: null })), ceiling } as Spending,
      [],
    ],
    [null, reserve(charge("a", { attempt: 2 })), [reserve(charge("a"))]],
  ])("says %s", (fault, entry, before) => {
    expect(spendingFault(entry, totalsOf(...before))).toBe(fault);
  });

  it("is raised by an entry of its own", () => {
    const before = [{ ...reserve(charge("a"), charge("b")), ceiling } as Spending];
    const more = reserve(charge("a", { attempt: 2 }));
    expect(spendingFault(more, totalsOf(...before))).toBe("it reserves beyond the study's ceiling");
    const raised: Spending = {
      kind: "ceiling",
      sequence: 3,
      study: "s",
      population: "adults",
      rho: 3 * one,
      unbounded: 0,
    };
    expect(spendingFault(more, totalsOf(...before, raised))).toBeNull();
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
