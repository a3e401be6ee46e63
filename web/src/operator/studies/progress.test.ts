import type { StepView } from "@consilium/core/operator/views";
import { describe, expect, it } from "vitest";
import { progressOf } from "./progress";

const step = (kind: StepView["kind"], seconds: number | null, status: StepView["status"] = "done") => ({
  id: kind,
  kind,
  stage: null,
  attempt: 1,
  dropped: [],
  received: {},
  seconds,
  status,
});

describe("how far a study is", () => {
  it("has no estimate while sites join, or before there is a pace", () => {
    expect(progressOf({ steps: [step("join", 9, "open"), step("sum", null, "waiting")] })).toEqual({
      done: 0,
      all: 2,
      secondsLeft: null,
    });
    const steps = [step("join", 9), step("keys", 1), step("sum", null, "waiting")];
    expect(progressOf({ steps })).toEqual({ done: 2, all: 3, secondsLeft: null });
  });

  it("estimates each step by those of its kind, or by all, less what it has taken", () => {
    const steps = [
      step("join", 1000),
      step("keys", 1),
      step("shares", 1),
      step("sum", 10),
      step("keys", 3),
      step("shares", 0.5, "open"),
      step("sum", null, "waiting"),
      step("deposit", null, "waiting"),
    ];
    // 0.5 of the shares, 10 of the sum, and of publishing the mean of 1, 1, 10 and 3.
    expect(progressOf({ steps })).toEqual({ done: 5, all: 8, secondsLeft: 0.5 + 10 + 3.75 });
  });

  it("has none left once all is done", () =>
    expect(progressOf({ steps: [step("keys", 1), step("sum", 1), step("unmask", 1)] })).toEqual({
      done: 3,
      all: 3,
      secondsLeft: null,
    }));
});
