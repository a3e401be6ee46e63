import type { StepView } from "@consilium/core/operator/views";
import { expect, it } from "vitest";
import { siteTimesOf } from "./siteTimes";
import { decidedText, sharesText, waitedText } from "./timesText";

const step = (id: string, stage: string | null = id, kind: StepView["kind"] = "sum"): StepView => ({
  id,
  kind,
  stage,
  attempt: 1,
  status: "done",
  seconds: 1,
  dropped: [],
  received: {},
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
    { site: "b", join: 2, cells: [11], total: 11, alone: 6, lastIn: 1, refused: null },
    { site: "a", join: 3_600, cells: [7], total: 7, alone: 2, lastIn: 1, refused: null },
    { site: "c", join: 1, cells: [null], total: 0, alone: 0, lastIn: 0, refused: null },
    {
      site: "d",
      join: null,
      cells: [null],
      total: 0,
      alone: 0,
      lastIn: 0,
      refused: { seconds: 90, code: "REFUSED_BY_SITE" },
    },
  ]);
  expect(times.decided).toEqual({ site: "a", seconds: 3_600, behind: 3_510 });
  expect(decidedText(times)).toBe(
    "a decided last, 1 h after the study's start and 58 min 30 s after the second to last.",
  );
  expect(waitedText(times)).toBe(
    "Waiting for the last answer to each step took 13 s. In 1 step b was last, 6.0 s after the second to last site: for that long the study waited for it alone.",
  );
});

it("waits for nobody alone at a tie, and counts the hospitals' decisions", () => {
  const times = siteTimesOf(steps, {
    steps: [
      { id: "join", seconds: { a: 0.41, b: 0.4 } },
      { id: "first", seconds: { a: 0.4, b: 0.38 } },
      { id: "first-unmask", seconds: { a: 0.2, b: 0.21 } },
    ],
    refused: [],
  });
  expect(times.sites.map(({ alone, lastIn }) => [alone, lastIn])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(decidedText(times)).toBe(
    "The last two hospitals decided at the same time, 0.4 s after the study's start.",
  );
  expect(waitedText(times)).toBe(
    "Waiting for the last answer to each step took 0.6 s. In every step the last two sites answered within a twentieth of a second: no site was the slowest, and none was waited for alone.",
  );
  expect(sharesText([{ ...steps[0]!, seconds: 187_200 }, ...steps.slice(1)], true)).toBe(
    "2 d 4 h in all: 2 d 4 h until the hospitals had decided, and 3.0 s for all steps after that.",
  );
});

it("has no site before the first answer", () => {
  expect(siteTimesOf(steps, { steps: [{ id: "join", seconds: {} }], refused: [] })).toEqual({
    groups: [],
    sites: [],
    waited: 0,
    decided: null,
    isDeciding: false,
  });
  expect(decidedText({ decided: null, isDeciding: true })).toBeNull();
});

it("names nobody as last while a hospital may still decide", () => {
  const open = [{ ...step("join", null, "join"), status: "open" as const }];
  const times = siteTimesOf(open, { steps: [{ id: "join", seconds: { a: 0.2, b: 0.2 } }], refused: [] });
  expect(decidedText(times)).toBe("Not all hospitals have decided yet; those that have are in the table.");
});
