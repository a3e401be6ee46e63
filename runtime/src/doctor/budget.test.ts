import { doctorCheckSchema } from "@consilium/core/hospital/doctorView";
import type { BudgetUse, UnprovenStudy } from "@consilium/core/hospital/statusViews";
import { expect, it } from "vitest";
import { judgeBudgets } from "./budget.js";

const now = Date.parse("2026-03-01T00:00:00Z");
const use = (held: number, fits: number | null, limit: number | null = 3): BudgetUse => ({
  population: "default",
  unit: "patient",
  delta: 1e-6,
  limit,
  held,
  remaining: null,
  fits,
  unproven: 0,
  unanswered: [],
  maxUnanswered: 5,
});
const unproven: UnprovenStudy = {
  id: "a-0123456789",
  name: "as published",
  population: "default",
  sends: 2,
  isRunning: false,
  lastAt: "2026-02-20T00:00:00Z",
};
const judged = (budgets: BudgetUse[], studies: UnprovenStudy[] = []) =>
  judgeBudgets({ budgets, unproven: studies }, now).map((one) => {
    const { id, status, found } = doctorCheckSchema.parse(one);
    return `${id} ${status}: ${found}`;
  });

it("warns from three quarters of a budget, with what still fits", () => {
  expect(judged([use(2.25, 1.9), use(2.7301, 1.05), use(3, 0), use(50, null, null)])).toEqual([
    "budget:default ok: Epsilon 2.25 of 3 is used (75 %).",
    "budget:default warn: Epsilon 2.731 of 3 is used (91 %); a study of at most epsilon 1.05 still fits.",
    "budget:default warn: Epsilon 3 of 3 is used (100 %), and no further study fits.",
    "budget:default ok: Epsilon 50 is used, without a limit.",
  ]);
});

it("names what was sent of late, or is running, without a proof", () => {
  expect(judged([], [unproven])).toEqual([
    "budget warn: Data were sent, or may be, without a proof, which no budget covers: as published.",
  ]);
  const old = { ...unproven, lastAt: "2026-01-20T00:00:00Z" };
  expect(judged([], [old])).toEqual([]);
  expect(judged([], [{ ...old, isRunning: true }])).toHaveLength(1);
});

it("looks at nothing where no agent answers, or one that does not say", () => {
  for (const status of [null, {}]) expect(judgeBudgets(status, now)[0]).toMatchObject({ status: "skipped" });
});
