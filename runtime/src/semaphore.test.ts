import { expect, it } from "vitest";
import { Semaphore } from "./semaphore.js";

it("runs no more than its count at once, in order, and continues after a failure", async () => {
  const slots = new Semaphore(2);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 9 }, (_, i) =>
      slots.run(async () => {
        begun.push(i);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        if (i % 3 === 0) throw new Error(`work ${i}`);
        return i;
      }),
    ),
  );
  expect(most).toBe(2);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : "failed"))).toEqual([
    "failed",
    1,
    2,
    "failed",
    4,
    5,
    "failed",
    7,
    8,
  ]);
  expect(await slots.run(async () => "again")).toBe("again");
  expect(() => new Semaphore(0)).toThrow(RangeError);
});
