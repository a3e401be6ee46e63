import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId, StageId } from "@consilium/core/ids";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OpenStep } from "./openStep.js";

const a = "hospital-a" as SiteId;
const b = "hospital-b" as SiteId;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open(change: Partial<ConstructorParameters<typeof OpenStep>[0]> = {}): OpenStep {
  return new OpenStep({
    id: "moments" as StageId,
    kind: "sum",
    attempt: 1,
    deadlineAt: 10_000,
    now: 0,
    sites: [a, b],
    initial: "working",
    expectedBytes: 80,
    atDeadline: (missing) => new ConsiliumError("PHASE_DEADLINE", `waited for ${missing.join(", ")}`),
    ...change,
  });
}

/** How the step has settled by now. */
async function outcome(step: OpenStep): Promise<string> {
  const open = Symbol("open");
  const settled = await Promise.race([
    step.settled.then(
      () => "complete",
      (error: ConsiliumError) => `${error.code}: ${error.message}`,
    ),
    vi.advanceTimersByTimeAsync(0).then(() => open),
  ]);
  return settled === open ? "open" : (settled as string);
}

it("has answers wait for one another, but not for what does not come", () => {
  const step = open();
  expect(step.arrived(a)).toBeGreaterThan(0);
  expect(step.arrived(a)).toBeGreaterThan(0);
  expect(step.arrived(b)).toBe(0);
  const other = open();
  other.answered(b, "dropped");
  expect(other.arrived(a)).toBe(0);
});

it("is complete when every site has answered", async () => {
  const step = open();
  expect(step.missing).toEqual([a, b]);
  step.answered(a, "done");
  expect(step.isWaitingFor(a)).toBe(false);
  expect(await outcome(step)).toBe("open");
  step.answered(a, "done");
  step.answered(b, "done");
  expect(await outcome(step)).toBe("complete");
  expect(step.sites.get(b)).toEqual({
    state: "done",
    workingSince: null,
    receivedBytes: 0,
    expectedBytes: 80,
    code: null,
  });
  vi.advanceTimersByTime(20_000);
  expect(await outcome(step)).toBe("complete");
});

it("names at its deadline who is missing", async () => {
  const step = open();
  step.answered(b, "done");
  vi.advanceTimersByTime(9_999);
  expect(await outcome(step)).toBe("open");
  vi.advanceTimersByTime(1);
  expect(await outcome(step)).toBe("PHASE_DEADLINE: waited for hospital-a");
  expect(step.isWaitingFor(a)).toBe(false);
  step.answered(a, "done");
  expect(await outcome(step)).toBe("PHASE_DEADLINE: waited for hospital-a");
});

it("continues at its deadline where enough is there", async () => {
  const step = open({ atDeadline: () => null });
  vi.advanceTimersByTime(10_000);
  expect(await outcome(step)).toBe("complete");
});

it("survives what is thrown at its deadline", async () => {
  const step = open({
    atDeadline: () => {
      throw new Error("the store is closed");
    },
  });
  vi.advanceTimersByTime(10_000);
  expect(await outcome(step)).toMatch(/^INTERNAL/);
});

it("is complete at once with nobody to wait for, and over at once past its deadline", async () => {
  expect(await outcome(open({ sites: [] }))).toBe("complete");
  const late = open({ now: 20_000 });
  vi.advanceTimersByTime(0);
  expect(await outcome(late)).toMatch(/^PHASE_DEADLINE/);
});

it("ends by a fault, once, even when nobody waits for it yet", async () => {
  const step = open();
  step.fail(new ConsiliumError("STUDY_CANCELLED", "cancelled"));
  step.complete();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await outcome(step)).toBe("STUDY_CANCELLED: cancelled");
});

it("is complete when those are there who can be, and says why the others are not", async () => {
  const step = open();
  step.answered(a, "dropped", "TABLE_CHANGED");
  step.answered(b, "done");
  expect(await outcome(step)).toBe("complete");
  expect(step.sites.get(a)).toMatchObject({ state: "dropped", code: "TABLE_CHANGED" });
});

it("shows progress of those it waits for, and of nobody else", () => {
  const step = open();
  step.progress(a, { state: "uploading", receivedBytes: 40 });
  step.progress("stranger" as SiteId, { workingSince: 1 });
  expect(step.sites.get(a)).toEqual({
    state: "uploading",
    workingSince: null,
    receivedBytes: 40,
    expectedBytes: 80,
    code: null,
  });
  expect([...step.sites.keys()]).toEqual([a, b]);
  step.complete();
});

it("waits until a deadline that was moved, and not beyond it", async () => {
  const step = open();
  step.extend(30_000, 0);
  expect(step.deadlineAt).toBe(30_000);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(await outcome(step)).toBe("open");
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcome(step)).toContain("PHASE_DEADLINE");
  step.extend(90_000, 30_000);
  expect(step.deadlineAt).toBe(30_000);
});

it("waits for a deadline beyond what one timer can", async () => {
  const month = 30 * 86_400_000;
  const step = open({ deadlineAt: month });
  await vi.advanceTimersByTimeAsync(month - 1);
  expect(await outcome(step)).toBe("open");
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcome(step)).toContain("PHASE_DEADLINE");
});
