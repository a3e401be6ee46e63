/** Random operations against a model, and a crash between any two statements of the store. */

import { ConsiliumError } from "@consilium/core/errors";
import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { openStore, type Store } from "@consilium/runtime/store/store";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cost, testLedger, testOwner, unitEvent, unitRho } from "../../testing/ledger/ledger.js";
import { migrations } from "../store/schema.js";
import { SiteRecords } from "../studies/records.js";
import { Ledger } from "./ledger.js";
import { spentUnder } from "./spending.js";

const limit = { epsilon: 1, delta: 1e-6 };
/** Units of ρ that the limit allows. */
const most = Math.floor(rhoFromEpsilon(limit) / unitRho);
const studies = ["s1", "s2", "s3"];
const stages = ["a", "b"];
const populations = ["p", "q"];

/** What the ledger should say, written as plainly as can be. */
class Model {
  readonly stages = new Map<string, { population: string; units: number; committed: boolean }>();

  copy(): Model {
    const copy = new Model();
    for (const [key, stage] of this.stages) copy.stages.set(key, { ...stage });
    return copy;
  }

  units(population: string, committed: boolean): number {
    const matching = [...this.stages.values()].filter(
      (one) => one.population === population && one.committed === committed,
    );
    return matching.reduce((sum, one) => sum + one.units, 0);
  }
}

type Operation =
  | {
      readonly do: "reserve";
      readonly study: string;
      readonly population: string;
      readonly attempt: number;
      readonly units: number;
    }
  | { readonly do: "commit"; readonly study: string; readonly stage: string; readonly attempt: number }
  | { readonly do: "release"; readonly study: string }
  | { readonly do: "restart" };

const study = fc.constantFrom(...studies);
const attempt = fc.integer({ min: 1, max: 2 });
const reserve = fc.record({
  do: fc.constant("reserve" as const),
  study,
  population: fc.constantFrom(...populations),
  attempt,
  units: fc.integer({ min: 1, max: Math.ceil(most / 2) }),
});
const commit = fc.record({
  do: fc.constant("commit" as const),
  study,
  stage: fc.constantFrom(...stages),
  attempt,
});
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: reserve },
  { weight: 3, arbitrary: commit },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const), study }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

/** Does it on the ledger. @returns the code of a refusal, "missing" for a programmer's error, or "" */
function perform(ledger: Ledger, op: Operation): string {
  try {
    if (op.do === "reserve") {
      const costs = stages.map((stage) => cost(stage, unitEvent(op.units), op.attempt));
      ledger.reserve({ study: op.study, population: op.population, limit, stages: costs });
    } else if (op.do === "commit") ledger.commit(op.study, op.stage, op.attempt);
    else if (op.do === "release") ledger.release(op.study);
    return "";
  } catch (thrown) {
    if (thrown instanceof RangeError) return "missing";
    if (thrown instanceof ConsiliumError) return thrown.code;
    throw thrown;
  }
}

function model(state: Model, op: Operation): string {
  if (op.do === "reserve") {
    const fresh = stages
      .map((stage) => `${op.study} ${stage} ${op.attempt}`)
      .filter((key) => !state.stages.has(key));
    const { population, units } = op;
    const all = state.units(population, true) + state.units(population, false) + fresh.length * units;
    if (fresh.length > 0 && all > most) return "BUDGET_EXHAUSTED";
    for (const key of fresh) state.stages.set(key, { population, units, committed: false });
  } else if (op.do === "commit") {
    const known = state.stages.get(`${op.study} ${op.stage} ${op.attempt}`);
    if (known === undefined) return "missing";
    known.committed = true;
  } else if (op.do === "release") {
    for (const [key, stage] of state.stages)
      if (key.startsWith(`${op.study} `) && !stage.committed) state.stages.delete(key);
  }
  return "";
}

function expectEqual(ledger: Ledger, state: Model): void {
  for (const population of populations) {
    const committed = state.units(population, true);
    const reserved = state.units(population, false);
    expect(spentUnder(population, ledger.totals.bookings())).toEqual({
      rho: committed * unitRho,
      unbounded: 0,
    });
    expect(spentUnder(population, ledger.totals.reservations())).toEqual({
      rho: reserved * unitRho,
      unbounded: 0,
    });
    expect(committed + reserved).toBeLessThanOrEqual(most);
  }
}

describe("any sequence of operations", () => {
  it("does what the model does, never goes over the limit and never gives a commitment back", () => {
    const outcomes = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(operation, { minLength: 10, maxLength: 40 }), (operations) => {
        const site = testLedger();
        let { ledger } = site;
        const state = new Model();
        for (const op of operations) {
          if (op.do === "restart") ledger = site.open();
          const before = populations.map((name) => state.units(name, true));
          const entries = ledger.entries().length;
          const outcome = perform(ledger, op);
          expect(outcome).toBe(model(state, op));
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          expectEqual(ledger, state);
          for (const [index, name] of populations.entries())
            expect(state.units(name, true)).toBeGreaterThanOrEqual(before[index]!);
          // Again, it changes nothing.
          const after = ledger.entries().length;
          expect(after - entries).toBeLessThanOrEqual(1);
          if (outcome === "") perform(ledger, op);
          expect(ledger.entries()).toHaveLength(after);
        }
        expect(ledger.verify().ok).toBe(true);
      }),
      { numRuns: 100 },
    );
    // The test is one only if it came into every case.
    for (const outcome of ["", "missing", "BUDGET_EXHAUSTED"])
      expect(outcomes.get(outcome)).toBeGreaterThan(20);
  });
});

class Crash extends Error {}

/** A store that fails for good at its n-th statement, before or after doing it, as a process that is killed there. */
function crashing(store: Store, at: number, when: "before" | "after"): Store {
  let left = at;
  const crash = () => {
    throw new Crash();
  };
  const step = <T>(work: () => T): T => {
    if (left <= 0) crash();
    left--;
    if (left > 0) return work();
    if (when === "after") work();
    return crash() as never;
  };
  return {
    run: (sql, ...params) => step(() => store.run(sql, ...params)),
    get: (sql, ...params) => step(() => store.get(sql, ...params)),
    all: (sql, ...params) => step(() => store.all(sql, ...params)),
    transaction: (work) => store.transaction(work),
    close: () => store.close(),
  };
}

/** As a study does: joins, answers two stages, the second at its second attempt, and ends. */
const life: readonly ((ledger: Ledger, records: SiteRecords) => string)[] = [
  (ledger, records) => {
    records.setFact("joined", Buffer.from("1"));
    ledger.reserve({
      study: "s1",
      population: "p",
      limit,
      stages: stages.map((stage) => cost(stage, unitEvent(3))),
    });
    return "joined";
  },
  (ledger, records) => {
    ledger.commit("s1", "a", 1);
    records.setFact("answer a", Buffer.from("1"));
    return "a";
  },
  (ledger) => {
    ledger.reserve({ study: "s1", population: "p", limit, stages: [cost("b", unitEvent(3), 2)] });
    return "b reserved";
  },
  (ledger, records) => {
    records.setFact("answer b", Buffer.from("1"));
    ledger.commit("s1", "b", 2);
    return "b";
  },
  (ledger) => {
    ledger.release("s1");
    return "ended";
  },
];

describe("a crash", () => {
  it.each(["before", "after"] as const)(
    "%s any statement loses nothing acknowledged and doubles nothing",
    (when) => {
      let crashes = 0;
      for (let at = 1; ; at++) {
        const owner = testOwner();
        const store = openStore(":memory:", migrations);
        const broken = crashing(store, at, when);
        const done: string[] = [];
        let crashed = false;
        try {
          const ledger = Ledger.open(broken, () => owner, Date.now);
          const records = new SiteRecords(broken);
          for (const work of life) done.push(broken.transaction(() => work(ledger, records)));
        } catch (thrown) {
          if (!(thrown instanceof Crash)) throw thrown;
          crashed = true;
        }
        // The process comes back, does not know how far it had come, and does everything again.
        const ledger = Ledger.open(store, () => owner, Date.now);
        const records = new SiteRecords(store);
        expect(ledger.verify().ok).toBe(true);
        const isCommitted = (stage: string, attempt: number) =>
          ledger.stage("s1", stage, attempt)?.state === "committed";
        for (const [stage, attempt] of [
          ["a", 1],
          ["b", 2],
        ] as const) {
          // One durable write: outgoing data and their cost.
          expect(isCommitted(stage, attempt)).toBe(records.fact(`answer ${stage}`) !== null);
          if (done.includes(stage)) expect(isCommitted(stage, attempt)).toBe(true);
        }
        for (const work of life) store.transaction(() => work(ledger, records));
        expect(spentUnder("p", ledger.totals.bookings())).toEqual({ rho: 6 * unitRho, unbounded: 0 });
        expect(spentUnder("p", ledger.totals.reservations())).toEqual({ rho: 0, unbounded: 0 });
        expect(ledger.entries().filter(({ entry }) => entry.kind === "commit")).toHaveLength(2);
        expect(ledger.verify().ok).toBe(true);
        if (!crashed) break;
        crashes++;
      }
      // Every statement of the whole life was one to crash at.
      expect(crashes).toBeGreaterThan(14);
    },
  );

  it("of the caller's transaction leaves the same ledger in memory as in the store", () => {
    const failing = fc.array(fc.record({ op: operation, fails: fc.boolean() }), { maxLength: 30 });
    fc.assert(
      fc.property(failing, (operations) => {
        const { ledger, store, open } = testLedger();
        let state = new Model();
        for (const { op, fails } of operations) {
          const before = state.copy();
          let outcome = "";
          try {
            store.transaction(() => {
              // Nothing has looked at the ledger since the last rollback.
              outcome = perform(ledger, op);
              if (fails) throw new Crash();
            });
          } catch (thrown) {
            if (!(thrown instanceof Crash)) throw thrown;
          }
          expect(outcome).toBe(model(state, op));
          if (fails) state = before;
        }
        expectEqual(ledger, state);
        expectEqual(open(), state);
        expect(ledger.verify().ok).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
