import { ConsiliumError } from "@consilium/core/errors";
import { epsilonFromRho, rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import {
  cost,
  spend,
  testLedger,
  testOwner,
  unbounded,
  unitEvent,
  unitRho,
} from "../../testing/ledger/ledger.js";
import { Ledger } from "./ledger.js";
import { spentUnder } from "./spending.js";

const study = "study-1";

function refusal(work: () => void): ConsiliumError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof ConsiliumError) return thrown;
    throw thrown;
  }
  throw new Error("it was not refused");
}

describe("spending", () => {
  it("reserves, commits once, and releases what was not committed", () => {
    const { ledger } = testLedger();
    const stages = [cost("a", unitEvent(1)), cost("b", unitEvent(2))];
    ledger.reserve({ study, population: "p", limit: null, stages });
    expect(spentUnder("p", ledger.totals.reservations())).toEqual({ rho: 3 * unitRho, unbounded: 0 });
    ledger.commit(study, "a", 1);
    ledger.commit(study, "a", 1);
    expect(spentUnder("p", ledger.totals.bookings())).toEqual({ rho: unitRho, unbounded: 0 });
    ledger.release(study);
    ledger.release(study);
    expect(spentUnder("p", ledger.totals.reservations())).toEqual({ rho: 0, unbounded: 0 });
    expect(spentUnder("p", ledger.totals.bookings())).toEqual({ rho: unitRho, unbounded: 0 });
    expect(ledger.entries().map(({ entry }) => entry.kind)).toEqual(["open", "reserve", "commit", "release"]);
    expect(() => ledger.commit(study, "b", 1)).toThrow(RangeError);
  });

  it("reserves nothing twice, and anew what was released", () => {
    const { ledger } = testLedger();
    const request = {
      study,
      population: "p",
      limit: null,
      stages: [cost("a", unitEvent(1)), cost("b", unitEvent(1))],
    };
    ledger.reserve(request);
    ledger.reserve(request);
    expect(ledger.entries()).toHaveLength(2);
    ledger.commit(study, "a", 1);
    ledger.release(study);
    ledger.reserve(request);
    expect(spentUnder("p", ledger.totals.reservations()).rho).toBe(unitRho);
    expect(() =>
      ledger.reserve({
        ...request,
        study: "other",
        stages: [cost("a", unitEvent(1)), cost("a", unitEvent(1))],
      }),
    ).toThrow(RangeError);
  });

  it("charges a further attempt as much again", () => {
    const { ledger } = testLedger();
    for (const attempt of [1, 2, 3]) {
      ledger.reserve({ study, population: "p", limit: null, stages: [cost("a", unitEvent(5), attempt)] });
      ledger.commit(study, "a", attempt);
    }
    expect(spentUnder("p", ledger.totals.bookings()).rho).toBe(15 * unitRho);
    expect(ledger.committed(study).map((stage) => stage.attempt)).toEqual([1, 2, 3]);
  });

  it("continues in another federation, or under another name, with what was spent", () => {
    const { store, ledger, open } = testLedger();
    spend(ledger, study, 3);
    const elsewhere = { ...testOwner("st-john"), federation: "north-sea" };
    const next = Ledger.open(store, () => elsewhere, Date.now);
    expect(spentUnder("default", next.totals.bookings()).rho).toBe(3 * unitRho);
    spend(next, "study-2", 1);
    expect(next.entries().map(({ entry }) => entry.kind)).toEqual([
      "open",
      "reserve",
      "commit",
      "open",
      "reserve",
      "commit",
    ]);
    expect(next.head()).toMatchObject({ federation: "north-sea", site: "st-john" });
    expect(next.verify().ok).toBe(true);
    expect(next.accept(next.signedHead())).toBe(true);
    // Back again, and with the same key under another federation's name.
    const back = open();
    expect(spentUnder("default", back.totals.bookings()).rho).toBe(4 * unitRho);
    const { owner } = testLedger();
    const same = testLedger(owner);
    const renamed = Ledger.open(same.store, () => ({ ...owner, federation: "south-sea" }), Date.now);
    expect(renamed.entries()).toHaveLength(2);
    expect(renamed.verify().ok).toBe(true);
  });

  it("continues with another signing key, before and after a restart, and while it runs", () => {
    const first = testOwner();
    const { store, ledger } = testLedger(first);
    spend(ledger, study, 1);
    let owner = testOwner();
    const second = Ledger.open(store, () => owner, Date.now);
    spend(second, "study-2", 1);
    owner = testOwner();
    spend(second, "study-3", 1);
    const third = Ledger.open(store, () => owner, Date.now);
    expect(third.verify().ok).toBe(true);
    expect(
      third
        .entries()
        .map(({ entry }) => entry.kind)
        .filter((kind) => kind === "open"),
    ).toHaveLength(3);
    expect(spentUnder("default", third.totals.bookings()).rho).toBe(3 * unitRho);
  });

  it("takes no name that JSON would lose", () => {
    const { ledger } = testLedger();
    const reserve = () =>
      ledger.reserve({ study, population: "__proto__", limit: null, stages: [cost("a", unitEvent(1))] });
    expect(reserve).toThrow();
    expect(ledger.entries()).toHaveLength(1);
  });
});

describe("the budget", () => {
  const delta = 1e-6;
  const limit = { epsilon: 1, delta };
  /** The most units that fit. */
  const most = Math.floor(rhoFromEpsilon(limit) / unitRho);

  it("lets in what fits to the last unit and refuses the next, with what remains", () => {
    const { ledger } = testLedger();
    const reserve = (id: string, units: number) =>
      ledger.reserve({ study: id, population: "p", limit, stages: [cost("a", unitEvent(units))] });
    reserve("first", most - 1);
    ledger.commit("first", "a", 1);
    reserve("second", 1);
    const error = refusal(() => reserve("third", 1));
    expect(error.code).toBe("BUDGET_EXHAUSTED");
    expect(english(error.describe())).toMatch(
      /^\[BUDGET_EXHAUSTED\] study third: request needs epsilon \d\.\d{3} per row, \d\.\d{3} remains of 1 at delta 0\.000001 in population p\. Lower epsilon, or ask the data committee for more\.$/,
    );
    // A reservation counts, another population does not, and what is released is free again.
    ledger.reserve({ study: "third", population: "q", limit, stages: [cost("a", unitEvent(most))] });
    ledger.release("second");
    reserve("fourth", 1);
    expect(ledger.verify().ok).toBe(true);
  });

  it("rounds what is needed up and what remains down", () => {
    const { ledger } = testLedger();
    ledger.reserve({ study: "a", population: "p", limit, stages: [cost("a", unitEvent(most - 3))] });
    for (const units of [4, 5, 10, 100]) {
      const { message } = refusal(() =>
        ledger.reserve({ study: "b", population: "p", limit, stages: [cost("a", unitEvent(units))] }),
      );
      const [, needs, remains] = /needs epsilon ([\d.]+) per row, ([\d.]+) remains/.exec(english(message))!;
      const before = epsilonFromRho({ rho: (most - 3) * unitRho, delta });
      const after = epsilonFromRho({ rho: (most - 3 + units) * unitRho, delta });
      expect(Number(needs)).toBeGreaterThanOrEqual(after - before);
      expect(Number(needs)).toBeLessThan(after - before + 0.001_000_1);
      expect(Number(remains)).toBeLessThanOrEqual(1 - before);
      expect(Number(remains)).toBeGreaterThan(1 - before - 0.001_000_1);
      expect(Number(remains)).toBeLessThan(Number(needs));
    }
  });

  it("writes nothing when it refuses, and counts what has no bound without charging it", () => {
    const { ledger } = testLedger();
    const full = { study: "a", population: "p", limit, stages: [cost("a", unitEvent(most))] };
    ledger.reserve(full);
    refusal(() => ledger.reserve({ ...full, study: "b" }));
    expect(ledger.entries()).toHaveLength(2);
    ledger.reserve({
      study: "c",
      population: "p",
      limit,
      stages: [cost("a", unbounded), cost("b", unbounded)],
    });
    ledger.commit("c", "a", 1);
    expect(spentUnder("p", ledger.totals.bookings())).toEqual({ rho: 0, unbounded: 1 });
    expect(spentUnder("p", ledger.totals.reservations())).toEqual({ rho: most * unitRho, unbounded: 1 });
    expect(ledger.verify().ok).toBe(true);
  });
});
