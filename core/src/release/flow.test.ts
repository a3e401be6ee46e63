import { expect, it } from "vitest";
import { flowFigure, flowTable, flowTexts } from "./flow.js";
import type { Flow } from "./flowSchema.js";

const around = (value: number, half = 100) => ({ value, low: value - half, high: value + half });
const flow: Flow = {
  unit: "rows",
  read: around(300, 245),
  used: around(400),
  leftOut: [{ cause: "type", ...around(-150) }],
  beyond: [
    { column: "age", side: "above", bound: 120, ...around(120) },
    { column: "age", side: "below", bound: 0, ...around(900) },
  ],
  invited: 5,
  taking: 4,
  counted: 4,
  finished: 3,
};

it("says a number below 0 as 0 with its noise, and the table keeps it as it is", () => {
  const [, leftOut] = flowTexts(flow);
  expect(leftOut).toContain('{"code":"flow.type","params":{"high":100,"low":0,"value":0}}');
  expect(flowTable(flow).rows).toContainEqual(["left out", "type", -150, -250, -50]);
});

it("tells of bounds what stands out among all that were counted, and of whom a later result is without", () => {
  const texts = flowTexts(flow).join("\n");
  expect(texts).toContain('"flow.below"');
  expect(texts).not.toContain('"flow.above"');
  expect(texts).toContain('flow.gone {"counted":4,"finished":3}');
  expect(JSON.stringify(flowFigure(flow))).toContain("flow.gone");
  expect(flowTexts({ ...flow, finished: 4 }).join()).not.toContain("flow.gone");
});
