import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fakeAgent } from "../testing/console.js";
import { Changes } from "./changes.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const first = { connected: true, waiting: 0, studies: "a", ledger: "1", egress: "0", policy: "b" };

it("is told once per difference, while anybody watches", async () => {
  const { agent, asked, answers } = fakeAgent({ changes: first });
  const changes = new Changes(agent);
  await changes.look();
  const told = vi.fn();
  const end = changes.subscribe(told);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(told).not.toHaveBeenCalled();
  answers.changes = { ...first, ledger: "2" };
  await vi.advanceTimersByTimeAsync(3_000);
  expect(told).toHaveBeenCalledTimes(1);
  expect(changes.now().ledger).toBe("2");
  // The agent has ended: the pages show the site as not connected.
  delete answers.changes;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(told).toHaveBeenCalledTimes(2);
  expect(changes.now()).toMatchObject({ connected: false, ledger: "2" });
  end();
  const { length } = asked;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveLength(length);
});

it("fails where the agent has never answered", async () => {
  const changes = new Changes(fakeAgent({}).agent);
  await expect(changes.look()).rejects.toMatchObject({ code: "UNREACHABLE" });
});
