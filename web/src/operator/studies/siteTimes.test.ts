import type { StepView } from "@consilium/core/operator/views";
import { expect, it } from "vitest";
import { siteTimesOf } from "./siteTimes";

const step = (id: string, stage: string | null = id, kind: StepView["kind"] = "sum"): StepView => ({
  ...{ id, kind, stage, attempt: 1, status: "done", seconds: 1, dropped: [], received: {} },
});
const steps = [
  step("join", null, "join"),
  step("first"),
  step("first-unmask", "first", "unmask"),
  step("publish", null, "deposit"),
];

it("sorts sites by how long the study waited for them, without joining", () => {
  const times = siteTimesOf(steps, {
    steps: [
      { id: "join", seconds: { a: 3_600, b: 2, c: 1 } },
      { id: "first", seconds: { a: 4, b: 10 } },
      { id: "first-unmask", seconds: { a: 3, b: 1 } },
      { id: "publish", seconds: {} },
    ],
    refused: [{ site: "d", seconds: 90, code: "REFUSED_BY_SITE" }],
  });
  expect(times.groups.map(({ id }) => id)).toEqual(["first"]);
  expect(times.waited).toBe(13);
  expect(times.sites).toEqual([
    { site: "b", join: 2, cells: [11], total: 11, alone: 6, refused: null },
    { site: "a", join: 3_600, cells: [7], total: 7, alone: 2, refused: null },
    { site: "c", join: 1, cells: [null], total: 0, alone: 0, refused: null },
    {
      ...{ site: "d", join: null, cells: [null], total: 0, alone: 0 },
      refused: { seconds: 90, code: "REFUSED_BY_SITE" },
    },
  ]);
});

it("has no site before the first answer", () => {
  expect(siteTimesOf(steps, { steps: [{ id: "join", seconds: {} }], refused: [] })).toEqual({
    groups: [],
    sites: [],
    waited: 0,
  });
});
