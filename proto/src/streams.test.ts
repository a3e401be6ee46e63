import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { awaitDrain, nextWithin } from "./streams.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes one byte, then nothing more until `release`. */
function slow() {
  let release: () => void = () => undefined;
  const stream = new Writable({
    highWaterMark: 1,
    write(_chunk, _encoding, done) {
      release = () => done();
    },
  });
  return { stream, release: () => release() };
}

describe("awaitDrain", () => {
  it("waits until the stream takes more", async () => {
    const { stream, release } = slow();
    expect(stream.write("x")).toBe(false);
    const drained = awaitDrain(stream, 1_000);
    release();
    expect(await drained).toBe(true);
    expect(stream.listenerCount("drain")).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is told of the stream's end, and of too long a wait", async () => {
    const { stream } = slow();
    stream.write("x");
    const ended = awaitDrain(stream);
    stream.destroy();
    expect(await ended).toBe(false);
    const stalled = slow().stream;
    stalled.write("x");
    const waiting = awaitDrain(stalled, 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toBe(false);
    expect(stalled.listenerCount("close")).toBe(0);
  });
});

describe("nextWithin", () => {
  const late = () => new Error("late");

  it("hands on what comes in time, the end too", async () => {
    const stream = new PassThrough({ objectMode: true });
    const messages = stream[Symbol.asyncIterator]();
    stream.write("one");
    stream.end();
    expect(await nextWithin(messages, 1_000, late)).toEqual({ done: false, value: "one" });
    expect(await nextWithin(messages, 1_000, late)).toMatchObject({ done: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives up on a stream that says nothing", async () => {
    const silent = new PassThrough({ objectMode: true });
    const next = nextWithin(silent[Symbol.asyncIterator](), 1_000, late);
    const refused = expect(next).rejects.toThrow("late");
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
  });

  it("hands on a stream's own fault", async () => {
    const stream = new PassThrough({ objectMode: true });
    const next = nextWithin(stream[Symbol.asyncIterator](), 1_000, late);
    stream.destroy(new Error("broken"));
    await expect(next).rejects.toThrow("broken");
    expect(vi.getTimerCount()).toBe(0);
  });
});
