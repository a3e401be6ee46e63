import { describe, expect, it } from "vitest";
import { cost, spend, testLedger, unbounded, unitEvent } from "../../testing/ledger/ledger.js";
import { unresolvedTables } from "../data/tableSources.js";
import { policySchema } from "../policy/policy.js";
import { ledgerView } from "./ledgerView.js";
import { ledgerSeries } from "./series.js";

const noTables = unresolvedTables([]);
const policy = policySchema.parse({
  populations: {
    default: { epsilon: 2, delta: 1e-6 },
    children: { tables: ["wards"], epsilon: "unlimited" },
  },
});

describe("a population's spending over time", () => {
  it("ends where the ledger's own view stands, and never falls but for what is released", () => {
    const { ledger } = testLedger();
    spend(ledger, "a-0123456789", 1);
    spend(ledger, "b-0123456789", 3);
    ledger.reserve({
      study: "c-0123456789",
      population: "default",
      limit: null,
      stages: [cost("x", unitEvent(2)), cost("y", unbounded)],
    });
    const series = ledgerSeries(ledger.entries(), policy, noTables);
    const [one] = series.filter(({ population }) => population === "default");
    const [view] = ledgerView(ledger, policy, noTables).populations.filter(({ name }) => name === "default");
    expect(one).toMatchObject({ limit: 2, delta: 1e-6 });
    expect(one!.points.at(-1)).toMatchObject({ spent: view!.spent, unproved: 0 });
    expect(one!.points.at(-1)!.held).toBeCloseTo(view!.spent + view!.reserved, 8);
    const spent = one!.points.map((point) => point.spent);
    expect(spent).toEqual([...spent].sort((a, b) => a - b));
    expect(spent[0]).toBe(0);
    ledger.release("c-0123456789");
    const after = ledgerSeries(ledger.entries(), policy, noTables).find(
      ({ population }) => population === "default",
    );
    const last = after!.points.at(-1)!;
    expect(last.held).toBe(last.spent);
  });

  it("shows populations apart, those without a limit, and those that have spent nothing", () => {
    const { ledger } = testLedger();
    spend(ledger, "a-0123456789", 1, "children");
    spend(ledger, "b-0123456789", 1, "forgotten");
    const series = ledgerSeries(ledger.entries(), policy, noTables);
    expect(series.map(({ population, limit, points }) => [population, limit, points.length])).toEqual([
      ["default", 2, 0],
      ["children", null, 2],
      ["forgotten", null, 2],
    ]);
  });

  it("counts what has no bound beside the curve", () => {
    const { ledger } = testLedger();
    const stages = [cost("x", unbounded)];
    ledger.reserve({ study: "p-0123456789", population: "default", limit: null, stages });
    ledger.commit("p-0123456789", "x", 1);
    const points = ledgerSeries(ledger.entries(), policy, noTables)[0]!.points;
    expect(points.map(({ spent, unproved }) => [spent, unproved])).toEqual([
      [0, 0],
      [0, 1],
    ]);
  });

  it("leaves some points out of a long history, never the first and the last", () => {
    const { ledger } = testLedger();
    for (let k = 0; k < 400; k++) spend(ledger, `s${k}-0123456789`, 1);
    const { points } = ledgerSeries(ledger.entries(), policy, noTables)[0]!;
    expect(points).toHaveLength(500);
    expect(points[0]!.entry).toBe(2);
    expect(points.at(-1)!.entry).toBe(801);
  });
});
