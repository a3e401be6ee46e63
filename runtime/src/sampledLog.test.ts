import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SampledWarnings } from "./sampledLog.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("writes the first warning of a kind in each minute, and the number of the others", () => {
  const lines: unknown[] = [];
  const warnings = new SampledWarnings({
    warn: (message, fields) => void lines.push({ message, ...fields }),
  });
  for (let call = 0; call < 5_000; call++)
    warnings.warn("refused a call", { code: "A" }, { reason: `number ${call}` });
  warnings.warn("refused a call", { code: "B" });
  expect(lines).toEqual([
    { message: "refused a call", code: "A", reason: "number 0" },
    { message: "refused a call", code: "B" },
  ]);
  vi.advanceTimersByTime(60_000);
  expect(lines.splice(0).at(-1)).toEqual({ message: "refused a call", code: "A", moreInThisMinute: 4_999 });
  vi.advanceTimersByTime(600_000);
  expect(lines).toEqual([]);
  warnings.warn("refused a call", { code: "A" });
  expect(lines).toEqual([{ message: "refused a call", code: "A" }]);
});
