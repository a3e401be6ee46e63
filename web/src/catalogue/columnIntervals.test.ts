import { intervalColumns } from "@consilium/core/release/intervalColumns";
import { describe, expect, it } from "vitest";
import { shownNumber } from "./columnIntervals.js";

const columns = [
  "term",
  "coefficient",
  "ci_low",
  "ci_high",
  "odds_ratio",
  "odds_ratio_low",
  "odds_ratio_high",
];

describe("a table's intervals", () => {
  it("are in columns named after that of the estimate", () => {
    const found = intervalColumns({
      columns: columns.map((name) => ({ name, type: "number" as const, description: name })),
    });
    expect([...found]).toEqual([
      [1, [2, 3]],
      [4, [5, 6]],
    ]);
  });

  it("stand below their number, and in place of a ratio that cannot be told", () => {
    expect(shownNumber("odds_ratio", 1.125, 1.109, 1.14)).toEqual({
      text: "1.125",
      interval: "95 %: 1.109 to 1.140",
    });
    expect(shownNumber("median", 17.204391, 16.9182, 17.5031)).toEqual({
      text: "17.20",
      interval: "95 %: 16.92 to 17.50",
    });
    expect(shownNumber("count", 4908.2, 4801.3, 5015.1)).toEqual({
      text: "4,910",
      interval: "95 %: 4,800 to 5,020",
    });
    expect(shownNumber("odds_ratio", 3, 0.00006865, 8.497e17)).toEqual({
      text: "cannot be told",
      interval: "95 %: 0.00006865 to 8.497e+17",
    });
    expect(shownNumber("coefficient", 3, 0.001, 8000).text).toBe("3.0");
    expect(shownNumber("count", 3, 3, 3)).toEqual({ text: "3", interval: null });
    expect(shownNumber("odds_ratio", 3, null, null)).toEqual({ text: "3", interval: null });
  });
});
