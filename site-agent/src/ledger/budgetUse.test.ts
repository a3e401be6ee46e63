import { describe, expect, it } from "vitest";
import { cost, spend, testLedger, unbounded, unitEvent } from "../../testing/ledger/ledger.js";
import { unresolvedTables } from "../data/tableSources.js";
import { policySchema } from "../policy/policy.js";
import { budgetUses, unprovenStudies } from "./budgetUse.js";
import { ledgerView } from "./ledgerView.js";

const noTables = unresolvedTables([]);
const none = { unanswered: () => [] };
const populations = {
  default: { epsilon: 2, delta: 1e-6 },
  children: { tables: ["wards"], epsilon: "unlimited" as const },
};
const policy = policySchema.parse({ populations });

describe("what is used of a budget", () => {
  it("is what the ledger's page shows, with the largest study that still fits", () => {
    const { ledger } = testLedger();
    const [fresh, others] = budgetUses(ledger.totals, policy, noTables, none);
    expect(fresh).toMatchObject({ population: "default", held: 0, remaining: 2, unproven: 0 });
    // Nothing spent: a study of the whole limit fits, rounded down.
    expect(fresh!.fits).toBeGreaterThanOrEqual(1.99);
    expect(fresh!.fits).toBeLessThanOrEqual(2);
    expect(others).toMatchObject({ limit: null, remaining: null, fits: null });
    spend(ledger, "a-0123456789", 40);
    const [used] = budgetUses(ledger.totals, policy, noTables, none);
    const view = ledgerView(ledger, policy, noTables).populations[0]!;
    expect(used).toMatchObject({ held: view.spent, remaining: view.remaining });
    expect(used!.fits).toBeGreaterThan(view.remaining!);
    expect(used!.fits).toBeLessThan(2);
  });

  it("says that nothing fits once the limit is reached", () => {
    const { ledger } = testLedger();
    spend(ledger, "a-0123456789", 40);
    const { held } = budgetUses(ledger.totals, policy, noTables, none)[0]!;
    const limited = (epsilon: number) =>
      policySchema.parse({ populations: { default: { epsilon, delta: 1e-6 } } });
    expect(budgetUses(ledger.totals, limited(held), noTables, none)[0]!.fits).toBe(0);
    expect(budgetUses(ledger.totals, limited(held / 2), noTables, none)[0]).toMatchObject({
      fits: 0,
      remaining: 0,
    });
  });

  it("says no more than one study may cost", () => {
    const { ledger } = testLedger();
    const strict = policySchema.parse({ populations, perStudy: { epsilon: 0.5, delta: 1e-6 } });
    expect(budgetUses(ledger.totals, strict, noTables, none).map(({ fits }) => fits)).toEqual([0.5, 0.5]);
  });
});

it("names studies that send data without a proof, and forgets those that sent none", () => {
  const { ledger } = testLedger();
  spend(ledger, "proven-0123456789", 1);
  for (const study of ["a-0123456789", "b-0123456789", "c-0123456789"])
    ledger.reserve({
      study,
      population: "default",
      limit: null,
      stages: [cost("x", unbounded), cost("y", unbounded), cost("z", unitEvent(1))],
    });
  ledger.commit("a-0123456789", "x", 1);
  ledger.commit("a-0123456789", "y", 1);
  ledger.commit("a-0123456789", "z", 1);
  ledger.release("a-0123456789");
  ledger.release("b-0123456789");
  const found = unprovenStudies(ledger.entries(), (id) =>
    id === "c-0123456789" ? { name: "c", isRunning: true } : null,
  );
  expect(found.map(({ id, name, sends, isRunning }) => [id, name, sends, isRunning]).sort()).toEqual([
    ["a-0123456789", "a-0123456789", 2, false],
    ["c-0123456789", "c", 0, true],
  ]);
});
