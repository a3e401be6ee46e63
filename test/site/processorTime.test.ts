import { expect, it } from "vitest";
import { ProcessorTime, type ProcessTime } from "../../bench/src/processorTime.js";

it("counts what a tree of processes used that has ended, so that no measurement is negative", () => {
  let all: ProcessTime[] = [];
  const time = new ProcessorTime(1, () => all);
  const one = (pid: number, parent: number, own: number, waitedFor = 0) => ({ pid, parent, own, waitedFor });
  all = [one(1, 0, 2, 7), one(2, 1, 1), one(3, 2, 40, 5), one(9, 0, 100)];
  const before = time.seconds();
  expect(before).toBe(2 + 1 + 45);
  // The driver is killed, and its JVM with it; another application begins.
  all = [one(1, 0, 3, 8), one(4, 1, 1), one(5, 4, 10)];
  expect(time.seconds() - before).toBe(1 + 11);
});
