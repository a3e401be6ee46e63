import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Turns } from "./turns.js";

function deferred() {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

afterEach(() => void vi.useRealTimers());

describe("Turns", () => {
  it("runs so many at once, at once, and the others in their order", async () => {
    const turns = new Turns({ most: 2, patienceMs: 60_000 });
    const works = Array.from({ length: 5 }, deferred);
    const begun: number[] = [];
    const done = works.map(({ promise }, i) =>
      turns.run(() => {
        begun.push(i);
        return promise;
      }),
    );
    expect(begun).toEqual([0, 1]);
    works[1]!.resolve();
    await done[1];
    await delay(0);
    expect(begun).toEqual([0, 1, 2]);
    for (const { resolve } of works) resolve();
    await Promise.all(done);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it("gives the turn of work that fails to the next, and hands on why it failed", async () => {
    const turns = new Turns({ most: 1, patienceMs: 60_000 });
    const failing = turns.run(() => Promise.reject(new Error("lost")));
    const next = turns.run(async () => "next");
    await expect(failing).rejects.toThrow("lost");
    await expect(next).resolves.toBe("next");
  });

  it("gives a slow one's turn away once, and lets it end", async () => {
    vi.useFakeTimers();
    const turns = new Turns({ most: 1, patienceMs: 5 });
    const slow = deferred();
    const blocking = deferred();
    const first = turns.run(() => slow.promise.then(() => "slow"));
    const begun: string[] = [];
    const second = turns.run(async () => {
      begun.push("second");
      await blocking.promise;
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(begun).toEqual(["second"]);
    slow.resolve();
    await expect(first).resolves.toBe("slow");
    blocking.resolve();
    await second;
    // Both turns were given back: one is free, and no more than one.
    const others = Array.from({ length: 2 }, deferred);
    const last = others.map(({ promise }, i) =>
      turns.run(() => {
        begun.push(`third ${i}`);
        return promise;
      }),
    );
    expect(begun).toEqual(["second", "third 0"]);
    for (const { resolve } of others) resolve();
    await Promise.all(last);
  });
});
