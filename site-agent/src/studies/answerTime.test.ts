import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerTime, untilAnswerTime } from "./answerTime.js";

const scheduled = { answerOn: { schedule: 60 } } as const;

describe("the time at which an answer leaves", () => {
  it("is at once unless the hospital's policy has a schedule", () => {
    expect(answerTime(1_000, 1_234, { answerOn: "ready" })).toBe(1_234);
  });

  it("follows from the time of the request alone, for a pass no longer than the interval", () => {
    fc.assert(
      fc.property(fc.nat(1e12), fc.nat(60_000), fc.nat(60_000), (askedAt, one, other) => {
        const at = answerTime(askedAt, askedAt + one, scheduled);
        expect(at).toBe(answerTime(askedAt, askedAt + other, scheduled));
        expect(at % 60_000).toBe(0);
        expect(at - askedAt).toBeGreaterThanOrEqual(60_000);
        expect(at - askedAt).toBeLessThan(120_000);
      }),
    );
    // The control: the next multiple after the answer is ready would tell of a pass that crosses one.
    const next = (now: number) => Math.ceil(now / 60_000) * 60_000;
    expect(next(59_000 + 500)).not.toBe(next(59_000 + 1_500));
  });

  it("is a later one for a pass that takes longer", () => {
    expect(answerTime(10_000, 130_000, scheduled)).toBe(180_000);
  });

  it("is waited for, and not when the study has ended", async () => {
    let now = 119_700;
    const clock = () => {
      now += 50;
      return now;
    };
    await untilAnswerTime(30_000, scheduled, clock, () => false);
    expect(now).toBeGreaterThanOrEqual(120_000);
    now = 0;
    await untilAnswerTime(
      0,
      scheduled,
      () => now,
      () => true,
    );
    expect(now).toBe(0);
  });
});
