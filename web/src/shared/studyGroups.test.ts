import { expect, it } from "vitest";
import { groupByStudy } from "./studyGroups.js";

it("keeps the log's order within and between studies, and puts what belongs to none last", () => {
  const rows = [null, "b", "a", null, "b"].map((study, at) => ({ study, at }));
  expect(groupByStudy(rows).map(({ study, rows: own }) => [study, own.map(({ at }) => at)])).toEqual([
    ["b", [1, 4]],
    ["a", [2]],
    [null, [0, 3]],
  ]);
});
