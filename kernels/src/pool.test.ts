import { afterEach, describe, expect, it } from "vitest";
import { Arena } from "./arena.js";
import { maximumPages, moduleBase64 } from "./generated/module.js";
import { WorkerPool } from "./pool.js";
import { Memory, Module } from "./webassembly.js";

const opened: WorkerPool[] = [];
afterEach(() => Promise.all(opened.splice(0).map((pool) => pool.close())));

function open(workers: number): { pool: WorkerPool; arena: Arena } {
  const memory = new Memory({ initial: 1, maximum: maximumPages, shared: true });
  const pool = new WorkerPool(new Module(Buffer.from(moduleBase64, "base64")), memory, workers);
  opened.push(pool);
  return { pool, arena: new Arena(memory, maximumPages) };
}

describe("WorkerPool", () => {
  it("answers every call, on more workers than one", async () => {
    const { pool, arena } = open(2);
    const seen = new Set<number>();
    const calls = Array.from({ length: 20 }, async (_, i) => {
      const start = arena.allocate(8 * 4);
      arena.doubles(start, 4).set([1, i, 0, 1]);
      await pool.call("mirrorUpper", (worker) => {
        seen.add(worker);
        return [start, 2, 16];
      });
      expect([...arena.doubles(start, 4)]).toEqual([1, i, i, 1]);
    });
    await Promise.all(calls);
    expect(seen).toEqual(new Set([0, 1]));
  });

  it("counts towards keeping the process alive only while something is computed", async () => {
    const { pool } = open(2);
    const ports = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
    const idle = ports();
    const call = pool.call("mirrorUpper", [0, 0, 0]);
    expect(ports()).toBe(idle + 1);
    await call;
    expect(ports()).toBe(idle);
  });

  it("rejects a call that traps or does not exist, and continues", async () => {
    const { pool } = open(1);
    await expect(pool.call("mirrorUpper", [2 ** 31, 1000, 8000])).rejects.toMatchObject({ code: "INTERNAL" });
    await expect(pool.call("nothing", [])).rejects.toMatchObject({ code: "INTERNAL" });
    await expect(pool.call("mirrorUpper", [0, 1, 8])).resolves.toBe(0);
  });

  it("rejects what is under way, waiting or new once closed, and closes twice", async () => {
    const { pool } = open(1);
    const calls = [pool.call("mirrorUpper", [0, 1, 8]), pool.call("mirrorUpper", [0, 1, 8])];
    const outcomes = Promise.allSettled(calls);
    await pool.close();
    for (const outcome of await outcomes) expect(outcome.status).toBe("rejected");
    await expect(pool.call("mirrorUpper", [0, 1, 8])).rejects.toThrow(/closed/);
    await pool.close();
  });
});

describe("inverseIteration", () => {
  it("says so when the values it was given are not eigenvalues", async () => {
    const { pool, arena } = open(1);
    const n = 70;
    const offsets = [n, n, 1, n, 5 * n].map((length) => arena.allocate(8 * length));
    const [diagonal, subdiagonal, values, vectors, work] = offsets as [
      number,
      number,
      number,
      number,
      number,
    ];
    arena.doubles(diagonal, n).fill(2);
    arena.doubles(subdiagonal, n).fill(-1)[0] = 0;
    const iterate = async (value: number): Promise<number> => {
      arena.doubles(values, 1)[0] = value;
      return pool.call("inverseIteration", [n, diagonal, subdiagonal, 1, values, vectors, 8 * n, work]);
    };
    const eigenvalue = 4 * Math.cos(Math.PI / (2 * (n + 1))) ** 2;
    expect(await iterate(eigenvalue)).toBe(1);
    expect(await iterate(eigenvalue + 1e-9)).toBe(0);
    expect(await iterate(Number.NaN)).toBe(0);
  });
});
