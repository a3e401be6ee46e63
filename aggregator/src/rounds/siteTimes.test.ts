import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import { expect, it } from "vitest";
import type { StepRecord } from "./records.js";
import { siteTimes } from "./siteTimes.js";

const step = (id: string, attempt: number, openedAt: number): StepRecord => ({
  step: id as StageId,
  kind: "sum",
  attempt,
  openedAt,
  doneAt: null,
  extendedUntil: null,
});
const event = (at: number, kind: string, site: string | null, detail = "") => ({
  at,
  kind,
  site: site as SiteId | null,
  detail,
});

it("times each site's answers from the opening of the newest attempt", () => {
  const records = {
    steps: () => [
      step("join", 1, 0),
      step("first", 1, 2_000),
      step("first", 2, 10_000),
      step("first-unmask", 2, 15_000),
    ],
    events: () => [
      event(0, "opened", null, "join"),
      event(1_000, "joined", "a"),
      event(1_500, "joined", "b"),
      event(1_600, "refused", "c", "POLICY_LIMIT"),
      event(2_500, "received", "a", `first ${"ab".repeat(32)}`),
      event(10_500, "received", "a", `first ${"cd".repeat(32)}`),
      event(14_000, "received", "b", `first ${"ef".repeat(32)}`),
      event(15_250, "posted", "b", "first-unmask"),
      event(15_300, "posted", "b", "unknown"),
    ],
  };
  expect(siteTimes("x" as StudyId, records)).toEqual({
    steps: [
      { id: "join", seconds: { a: 1, b: 1.5 } },
      { id: "first", seconds: { a: 0.5, b: 4 } },
      { id: "first-unmask", seconds: { b: 0.25 } },
    ],
    refused: [{ site: "c", seconds: 1.6, code: "POLICY_LIMIT" }],
  });
});
