import { describe, expect, it } from "vitest";
import { markedCells, markOfFirst, marksOfCell } from "./roundMarks.js";

describe("the marks of the round bench", () => {
  const verdicts = (...of: Parameters<typeof marksOfCell>) =>
    marksOfCell(...of).map(({ found, verdict }) => [found, verdict]);

  it("hold a round against both references", () => {
    const cell = { sites: 20, length: 1e6 };
    expect(verdicts("cell", cell, { ours: 1, stream: 0.2, flower: 8 })).toEqual([
      [8, "met"],
      [5, "met"],
    ]);
    expect(verdicts("cell", cell, { ours: 1, stream: 0.19, flower: 7.9 })).toEqual([
      [7.9, "missed"],
      [5.26, "missed"],
    ]);
  });

  it("say nothing of a reference that was not measured, nor of a cell without marks", () => {
    expect(markedCells).toContainEqual({ sites: 5, length: 1e5 });
    const seconds = { ours: 1, stream: 1, flower: null };
    expect(verdicts("cell", { sites: 5, length: 1e5 }, seconds)).toEqual([[1, "met"]]);
    expect(verdicts("cell", { sites: 5, length: 1e4 }, { ...seconds, flower: 1 })).toEqual([]);
  });

  it("let the first round of fresh processes take twice a later one", () => {
    expect(markOfFirst("cell", 400, 200)).toMatchObject({ found: 2, verdict: "met" });
    expect(markOfFirst("cell", 402, 200)).toMatchObject({ found: 2.01, verdict: "missed" });
  });
});
