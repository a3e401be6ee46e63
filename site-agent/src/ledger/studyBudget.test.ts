import type { StageId } from "@consilium/core/ids";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import type { Plan, StagePlan } from "@consilium/core/study/plan";
import { describe, expect, it } from "vitest";
import { cost, spend, testLedger, unbounded, unitEvent } from "../../testing/ledger/ledger.js";
import { unresolvedTables } from "../data/tableSources.js";
import { policySchema } from "../policy/policy.js";
import { accountOf } from "./accounts.js";
import type { Ledger } from "./ledger.js";
import { studyBudget } from "./studyBudget.js";

const study = "vitals-0123456789";
const delta = 1e-6;
const planOf = (...events: PrivacyEvent[]) =>
  ({
    stages: events.map((event, k) => ({ id: `s${k}` as StageId, disclosure: { event } }) as StagePlan),
  }) as Pick<Plan, "stages"> as Plan;
const budgetIn = (ledger: Ledger, plan: Plan, epsilon: number | null = 1) => {
  const population = { epsilon: epsilon ?? "unlimited", delta, tables: ["visits"] };
  const policy = policySchema.parse({ populations: { default: population } });
  const account = accountOf(policy, unresolvedTables([]), "visits")!;
  return studyBudget(ledger.totals, {
    study,
    plan,
    account,
    accounts: [account],
    charging: { unit: "row", factor: 1 },
  });
};
const reserve = (ledger: Ledger, limit: number | null, ...events: PrivacyEvent[]) =>
  ledger.reserve({
    study,
    population: "default",
    limit: limit === null ? null : { epsilon: limit, delta },
    stages: events.map((event, k) => cost(`s${k}`, event)),
  });

describe("what a study does to its population's budget", () => {
  it("is the same before it is reserved and after, and after it is spent", () => {
    const { ledger } = testLedger();
    spend(ledger, "other-0123456789", 2);
    const plan = planOf(unitEvent(1), unitEvent(4));
    const asked = budgetIn(ledger, plan);
    expect(asked.charged).toBe(false);
    expect(asked.after).toBeGreaterThan(asked.before);
    reserve(ledger, null, unitEvent(1), unitEvent(4));
    const reserved = budgetIn(ledger, plan);
    ledger.commit(study, "s0", 1);
    const spent = budgetIn(ledger, plan);
    for (const later of [reserved, spent]) {
      expect(later.charged).toBe(true);
      expect(later.before).toBeCloseTo(asked.before, 7);
      expect(later.after).toBeCloseTo(asked.after, 7);
    }
  });

  it("fits exactly where the ledger would reserve it", () => {
    for (const epsilon of [0.1, 0.2, 0.3, 0.5, 1]) {
      const { ledger } = testLedger();
      spend(ledger, "other-0123456789", 2);
      const { fits } = budgetIn(ledger, planOf(unitEvent(3)), epsilon);
      let refused = false;
      try {
        reserve(ledger, epsilon, unitEvent(3));
      } catch {
        refused = true;
      }
      expect(fits, `at epsilon ${epsilon}`).toBe(!refused);
    }
  });

  it("says what remains, never less than nothing, and nothing of it without a limit", () => {
    const { ledger } = testLedger();
    const over = budgetIn(ledger, planOf(unitEvent(500)), 0.5);
    expect(over).toMatchObject({ fits: false, remainingBefore: 0.5, remainingAfter: 0 });
    expect(budgetIn(ledger, planOf(unitEvent(500)), null)).toMatchObject({
      fits: true,
      limit: null,
      remainingBefore: null,
      remainingAfter: null,
    });
  });

  it("counts what has no bound, which costs nothing that is proven", () => {
    const { ledger } = testLedger();
    const budget = budgetIn(ledger, planOf(unbounded, unbounded), 0.5);
    expect(budget).toMatchObject({ fits: true, before: 0, after: 0, unprovedBefore: 0, unprovedHere: 2 });
    reserve(ledger, 0.5, unbounded);
    expect(budgetIn(ledger, planOf(unbounded, unbounded), 0.5)).toMatchObject({
      unprovedBefore: 0,
      unprovedHere: 2,
    });
  });
});
