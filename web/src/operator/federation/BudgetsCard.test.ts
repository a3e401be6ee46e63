import type { AuditEventView } from "@consilium/core/access/views";
import { expect, it } from "vitest";
import { latestOf } from "./BudgetsCard";

const refusal = (id: number, site: string, detail: string): AuditEventView => ({
  id,
  at: "2026-03-04T12:00:00.000Z",
  actor: null,
  kind: "refused",
  study: "x",
  site,
  detail,
});

it("shows each site's latest refusal because of a budget, and no other refusal", () => {
  const events = [
    refusal(5, "b", "REFUSED_BY_SITE"),
    refusal(4, "b", "POLICY_EPSILON"),
    refusal(3, "a", "BUDGET_EXHAUSTED"),
    refusal(2, "b", "BUDGET_EXHAUSTED"),
    refusal(1, "c", "COLUMN_MISSING"),
  ];
  expect(latestOf(events).map(({ id }) => id)).toEqual([3, 4]);
});
