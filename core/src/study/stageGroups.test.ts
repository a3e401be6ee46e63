import { describe, expect, it } from "vitest";
import { groupedStages, groupName, numberList } from "./stageGroups.js";

const stage = (id: string, what: string) => ({
  id,
  disclosure: {
    what,
    form: "masked sum" as const,
    learns: "the aggregator",
    mechanism: "none",
    normBound: 1,
    sensitivity: null,
  },
});

describe("stages in groups", () => {
  it("keeps together what discloses the same, in the order of the first", () => {
    const stages = [1, 2, 3, 4].flatMap((tree) => [
      stage(`tree-${tree}-level`, "counts by bin"),
      stage(`tree-${tree}-leaves`, "counts by leaf"),
    ]);
    const groups = groupedStages([...stages, stage("evaluation", "counts by score")]);
    expect(groups.map((group) => [numberList(group.numbers), groupName(group.stages)])).toEqual([
      ["1, 3 … 7", "tree-1-level … tree-4-level (4 stages)"],
      ["2, 4 … 8", "tree-1-leaves … tree-4-leaves (4 stages)"],
      ["9", "evaluation"],
    ]);
  });

  it("writes numbers in a row as a range", () => {
    expect(numberList([2, 3, 4, 5])).toBe("2-5");
    expect(numberList([1, 4, 9])).toBe("1, 4, 9");
  });
});
