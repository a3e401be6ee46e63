import { describe, expect, it } from "vitest";
import { tableOneIntervals } from "./tableOneIntervals.js";

type Cell = string | number | null;

const table = (name: string, columns: readonly string[], rows: Cell[][]) => ({
  name,
  title: name,
  description: name,
  columns: columns.map((column) => ({ name: column, type: "text" as const, description: column })),
  rows,
  isShown: true,
});

const printed = table(
  "table-one",
  ["variable", "statistic", "overall", "arm: new"],
  [
    ["patients", "n", "569", "200"],
    ["age (years)", "mean (SD)", "61.20 (9.10)", "60.10 (9.00)"],
    ["age (years)", "median [Q1, Q3]", "61.00 [55.00, 68.00]", "60.00 [54.00, 67.00]"],
    ["age (years)", "missing, n (%)", "3 (0.5 %)", "1 (0.5 %)"],
    ["sex", "f, n (%)", "300 (52.7 %)", "90 (45.0 %)"],
  ],
);

const lines = (...rows: Cell[][]) =>
  table(
    "table-one-tidy",
    ["variable", "unit", "level", "statistic", "group", "estimate", "low", "high"],
    rows,
  );

const tidy = lines(
  ["patients", null, null, "n", "overall", 569, 566.2, 571.8],
  ["patients", null, null, "n", "new", 200, 200, 200],
  ["age", "years", null, "mean", "overall", 61.2, 60.5, 61.9],
  ["age", "years", null, "mean", "new", 60.1, 58.804, 61.4],
  ["age", "years", "(missing)", "count", "overall", 3, 0, 8.4],
  ["age", "years", "(missing)", "share", "overall", 0.005, 0, 0.0148],
  ["sex", null, "f", "count", "overall", 300, 296, 304],
  ["sex", null, "f", "share", "overall", 0.527, 0.48, 0.57],
);

describe("a table one's intervals", () => {
  it("are those of each cell's first number, and of its share, with the cell's digits", () => {
    const of = tableOneIntervals([printed, tidy])!;
    expect(printed.rows.map((_, row) => of(row, 2))).toEqual([
      "95 %: 566 to 572",
      "95 %: 60.50 to 61.90",
      null,
      "95 %: 0 to 8; 0.0 to 1.5 %",
      "95 %: 296 to 304; 48.0 to 57.0 %",
    ]);
  });

  it("are each group's own, and none where a count is exact or a cell names", () => {
    const of = tableOneIntervals([printed, tidy])!;
    expect([of(0, 3), of(1, 3), of(4, 3), of(1, 0), of(1, 1), of(9, 9)]).toEqual([
      null,
      "95 %: 58.80 to 61.40",
      null,
      null,
      null,
      null,
    ]);
  });

  it("are not there in a release without the table of numbers", () => {
    expect(tableOneIntervals([printed])).toBeNull();
  });
});
