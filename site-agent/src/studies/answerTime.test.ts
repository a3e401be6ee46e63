import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerTime, untilAnswerTime } from "./answerTime.js";

const scheduled = { answerOn: { schedule: 60 } } as const;

describe("the time at which an answer leaves", () => {
  it("is at once unless the hospital's policy has a schedule", () => {
    expect(answerTime(1_234, { answerOn: "ready" })).toBe(1_234);
  });

  it("is one of few public ones, whatever the pass took within an interval", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 60_000 }), (slot, took) => {
        expect(answerTime(slot * 60_000 + took, scheduled)).toBe((slot + 1) * 60_000);
      }),
    );
  });

  it("is waited for, and not when the study has ended", async () => {
    let now = 59_700;
    const clock = () => {
      now += 50;
      return now;
    };
    await untilAnswerTime(scheduled, clock, () => false);
    expect(now).toBeGreaterThanOrEqual(60_000);
    now = 0;
    await untilAnswerTime(
      scheduled,
      () => now,
      () => true,
    );
    expect(now).toBe(0);
  });
});
