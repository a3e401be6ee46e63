import { appendFile, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ColumnBlock } from "@consilium/core/study/design";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { filesSignature, HeldBlocks } from "./heldBlocks.js";
import { type TableConfig, tableConfigSchema } from "./tableConfig.js";

const block = (value: number): ColumnBlock => ({ rows: 1, columns: [Float64Array.of(value)], labels: null });

describe("held blocks", () => {
  let reads = 0;
  const reading = (...values: number[]) =>
    async function* () {
      reads++;
      yield* values.map(block);
    };
  const all = async (blocks: AsyncIterable<ColumnBlock>) => {
    const values: number[] = [];
    for await (const { columns } of blocks) values.push(columns[0]![0]!);
    return values;
  };
  let held: HeldBlocks;
  beforeEach(() => {
    reads = 0;
    held = new HeldBlocks({ bytesMost: 16, idleMs: 1000 });
  });
  afterEach(() => held.clear());
  const same = async () => "as it was";

  it("are read once while the files stay as they were", async () => {
    expect(await all(held.blocks("a", same, reading(1, 2)))).toEqual([1, 2]);
    expect(await all(held.blocks("a", same, reading(9)))).toEqual([1, 2]);
    expect(reads).toBe(1);
  });

  it("are read again once a file changed, and where it cannot be told", async () => {
    await all(held.blocks("a", same, reading(1)));
    expect(await all(held.blocks("a", async () => "changed", reading(2)))).toEqual([2]);
    const unknown = async () => null;
    expect(await all(held.blocks("b", unknown, reading(3)))).toEqual([3]);
    expect(await all(held.blocks("b", unknown, reading(4)))).toEqual([4]);
  });

  it("are not held where a file changed while it was read, the reading failed, or was left", async () => {
    let signature = "before";
    await all(
      held.blocks(
        "a",
        async () => signature,
        async function* () {
          yield block(1);
          signature = "after";
        },
      ),
    );
    expect(await all(held.blocks("a", async () => signature, reading(2)))).toEqual([2]);
    const failing = async function* () {
      yield block(1);
      throw new Error("TABLE_CHANGED");
    };
    await expect(all(held.blocks("b", same, failing))).rejects.toThrow("TABLE_CHANGED");
    for await (const _ of held.blocks("c", same, reading(1, 2))) break;
    expect(await all(held.blocks("b", same, reading(3)))).toEqual([3]);
    expect(await all(held.blocks("c", same, reading(4)))).toEqual([4]);
  });

  it("keep to their bytes: a larger table is not held, and the oldest goes first", async () => {
    await all(held.blocks("large", same, reading(1, 2, 3)));
    expect(await all(held.blocks("large", same, reading(4)))).toEqual([4]);
    await all(held.blocks("b", same, reading(5)));
    await all(held.blocks("c", same, reading(6)));
    expect(await all(held.blocks("b", same, reading(7)))).toEqual([5]);
    expect(await all(held.blocks("large", same, reading(8)))).toEqual([8]);
  });

  it("go when no stage has asked for a while", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await all(held.blocks("a", same, reading(1)));
      vi.advanceTimersByTime(1001);
      expect(await all(held.blocks("a", same, reading(2)))).toEqual([2]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the signature of a table's files", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-held-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const later = () => Date.now() + 60_000;

  it("changes with every change of a file, its times set back included", async () => {
    const path = join(folder, "t.csv");
    await writeFile(path, "a\n1\n");
    const config = { name: "t", path } as TableConfig;
    const seen = [await filesSignature(config, later())];
    await appendFile(path, "2\n");
    seen.push(await filesSignature(config, later()));
    const before = new Date(1_000_000);
    await utimes(path, before, before);
    seen.push(await filesSignature(config, later()));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await writeFile(path, "a\n1\n3\n");
    await utimes(path, before, before);
    seen.push(await filesSignature(config, later()));
    expect(new Set(seen).size).toBe(4);
  });

  it("changes with every file that a query reads, and with a view", async () => {
    const at = (name: string) => join(folder, name);
    for (const name of ["a.csv", "b.csv", "Patient.ndjson", "v.json"]) await writeFile(at(name), "x\n");
    const csv = { header: true };
    const files = { a: { path: at("a.csv"), csv }, b: { path: at("b.csv"), csv } };
    const query = tableConfigSchema.parse({ name: "q", duckdb: { files, query: "FROM a" } });
    const fhir = tableConfigSchema.parse({ name: "f", fhir: { folder, views: { v: at("v.json") } } });
    for (const [config, changed] of [
      [query, "b.csv"],
      [fhir, "Patient.ndjson"],
      [fhir, "v.json"],
    ] as const) {
      const before = await filesSignature(config, later());
      expect(await filesSignature(config, later())).toBe(before);
      await appendFile(at(changed), "y\n");
      expect(await filesSignature(config, later())).not.toBe(before);
    }
  });

  it("is none where a file changed just now, and of a database", async () => {
    const path = join(folder, "t.csv");
    await writeFile(path, "a\n1\n");
    expect(await filesSignature({ name: "t", path } as TableConfig, Date.now())).toBeNull();
    const database = join(folder, "t.sqlite");
    await writeFile(database, "");
    expect(await filesSignature({ name: "t", path: database } as TableConfig, later())).toBeNull();
  });
});
