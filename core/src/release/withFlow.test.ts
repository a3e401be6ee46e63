import { expect, it } from "vitest";
import type { MethodResult } from "../method/aggregatorSide.js";
import type { PartId } from "../method/parts.js";
import { withFlow } from "./withFlow.js";

const estimate = { value: 10, low: 5, high: 15 };
const result: MethodResult = {
  table: null,
  model: {},
  facts: {},
  notes: [],
  finding: null,
  rowsUsed: null,
  flow: {
    unit: "rows",
    read: estimate,
    used: estimate,
    leftOut: [],
    beyond: [],
    taking: 3,
    counted: 3,
    finished: 3,
  },
};
const names = (without: PartId[]) => {
  const { flow, tables, figures } = withFlow(
    result,
    4,
    without.map((part) => ({ part, reason: "unwritten" })),
  );
  expect(flow).toMatchObject({ invited: 4, taking: 3 });
  return [tables, figures].map((all) => (all ?? []).map(({ name }) => name));
};

it("adds the flow's table and figure, but to a release that is accepted without its tables or figures", () => {
  expect(names([])).toEqual([["flow"], ["flow"]]);
  expect(names(["figures", "card"])).toEqual([["flow"], []]);
  expect(names(["tables"])).toEqual([[], ["flow"]]);
});
