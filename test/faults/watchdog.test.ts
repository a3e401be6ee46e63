/** The limits of these tests: they end what hangs, and nothing that is only slow. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { limitByProgress } from "../support/limitByProgress.js";
import { Watchdog } from "../support/watchdog.js";

limitByProgress();

const limitMs = 200;

it("stalls once nothing has changed for as long as is allowed", async () => {
  const begunAt = performance.now();
  const watchdog = new Watchdog(async () => "the same", limitMs);
  while (!(await watchdog.hasStalled())) await delay(5);
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(limitMs);
});

it("never stalls while something changes, however long that takes", async () => {
  let changes = 0;
  const watchdog = new Watchdog(async () => String(changes++), limitMs);
  const until = performance.now() + 5 * limitMs;
  while (performance.now() < until) {
    expect(await watchdog.hasStalled()).toBe(false);
    await delay(5);
  }
  expect(changes).toBeGreaterThan(1);
});
