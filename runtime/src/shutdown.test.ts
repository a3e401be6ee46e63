import { once } from "node:events";
import { ConsiliumError } from "@consilium/core/errors";
import { describe, expect, it } from "vitest";
import { createLogger } from "./log.js";
import { createShutdown } from "./shutdown.js";

function make(options: { deadlineMs?: number; signals?: boolean } = {}) {
  const lines: string[] = [];
  const exits: number[] = [];
  const log = createLogger({ service: "test", stream: { write: (line) => void lines.push(line) } });
  const shutdown = createShutdown({ log, exit: (code) => exits.push(code), signals: false, ...options });
  return { shutdown, exits, lines };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("shutdown", () => {
  it("runs the steps one after the other, the last one first, and ends with 0", async () => {
    const { shutdown, exits } = make();
    const order: string[] = [];
    shutdown.onStop("store", () => void order.push("store"));
    shutdown.onStop("server", async () => {
      await pause(20);
      order.push("server");
    });
    expect(shutdown.stopping).toBe(false);
    const both = [shutdown.stop("test"), shutdown.stop("again")];
    expect(shutdown.stopping).toBe(true);
    await Promise.all(both);
    expect(order).toEqual(["server", "store"]);
    expect(exits).toEqual([0]);
  });

  it("continues after a step that fails, says which, and ends with 1", async () => {
    const { shutdown, exits, lines } = make();
    const order: string[] = [];
    shutdown.onStop("store", () => void order.push("store"));
    shutdown.onStop("server", () => Promise.reject(new Error("x")));
    await shutdown.stop("test");
    expect(order).toEqual(["store"]);
    expect(exits).toEqual([1]);
    expect(lines.join("")).toContain('"step":"server"');
  });

  it("ends at once with 1 and without a step when continuing would do harm", () => {
    const { shutdown, exits, lines } = make();
    shutdown.onStop("store", () => expect.unreachable("a step was run"));
    shutdown.abort("the store is lost", new ConsiliumError("STORE_LOST", "a test"));
    expect(exits).toEqual([1]);
    expect(lines.join("")).toContain("STORE_LOST");
  });

  it("ends at its deadline with 1 and names the step that hangs", async () => {
    const { shutdown, exits, lines } = make({ deadlineMs: 30 });
    shutdown.onStop("rounds", () => new Promise(() => {}));
    void shutdown.stop("test");
    await pause(100);
    expect(exits).toEqual([1]);
    expect(lines.join("")).toContain('"step":"rounds"');
  });

  it("refuses to register a step while stopping", async () => {
    const { shutdown } = make();
    await shutdown.stop("test");
    expect(() => shutdown.onStop("late", () => {})).toThrow("late");
  });

  it("is begun by SIGTERM, cut short by a second signal, and leaves no listener behind", async () => {
    const before = process.listenerCount("SIGTERM");
    const { shutdown, exits } = make({ signals: true });
    let release = () => {};
    shutdown.onStop("slow", () => new Promise((resolve) => (release = resolve)));
    expect(process.listenerCount("SIGTERM")).toBe(before + 1);
    process.kill(process.pid, "SIGTERM");
    await once(process, "SIGTERM");
    expect(shutdown.stopping).toBe(true);
    expect(exits).toEqual([]);
    process.kill(process.pid, "SIGINT");
    await once(process, "SIGINT");
    expect(exits).toEqual([1]);
    release();
    await shutdown.stop("");
    expect(exits).toEqual([1]);
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });
});
