import { appendFile, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ColumnBlock } from "@consilium/core/study/design";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { filesSignature, HeldBlocks } from "./heldBlocks.js";
import { type TableConfig, tableConfigSchema } from "./tableConfig.js";

const of = (table: string) => ({ table, hash: "as approved" });
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
    held = new HeldBlocks({ maxBytes: 16, idleMs: 1000 });
  });
  afterEach(() => held.clear());
  const same = async () => "as it was";

  it("are read once while the files stay as they were", async () => {
    expect(await all(held.blocks(of("a"), same, reading(1, 2)))).toEqual([1, 2]);
    expect(await all(held.blocks(of("a"), same, reading(9)))).toEqual([1, 2]);
    expect(reads).toBe(1);
  });

  it("are read again once a file changed, and where it cannot be told", async () => {
    await all(held.blocks(of("a"), same, reading(1)));
    expect(await all(held.blocks(of("a"), async () => "changed", reading(2)))).toEqual([2]);
    const unknown = async () => null;
    expect(await all(held.blocks(of("b"), unknown, reading(3)))).toEqual([3]);
    expect(await all(held.blocks(of("b"), unknown, reading(4)))).toEqual([4]);
  });

  it("are not held where a file changed while it was read, the reading failed, or was left", async () => {
    let signature = "before";
    await all(
      held.blocks(
        of("a"),
        async () => signature,
        async function* () {
          yield block(1);
          signature = "after";
        },
      ),
    );
    expect(await all(held.blocks(of("a"), async () => signature, reading(2)))).toEqual([2]);
    const failing = async function* () {
      yield block(1);
      throw new Error("TABLE_CHANGED");
    };
    await expect(all(held.blocks(of("b"), same, failing))).rejects.toThrow("TABLE_CHANGED");
    for await (const _ of held.blocks(of("c"), same, reading(1, 2))) break;
    expect(await all(held.blocks(of("b"), same, reading(3)))).toEqual([3]);
    expect(await all(held.blocks(of("c"), same, reading(4)))).toEqual([4]);
  });

  /** The first value that a table gives, of readings that count up: it stays where blocks are held. */
  const asked = async (table: string, size: number) => {
    const values = Array.from({ length: size }, () => reads + 1);
    return (await all(held.blocks(of(table), same, reading(...values))))[0];
  };

  it("keep to their bytes: a larger table is read anew each time, and another is held beside it", async () => {
    expect([await asked("large", 3), await asked("large", 3)]).toEqual([1, 2]);
    expect([await asked("b", 2), await asked("b", 2), await asked("large", 3)]).toEqual([3, 3, 4]);
    expect(await asked("b", 2)).toBe(3);
    expect([held.needs("large"), held.needs("b"), held.needs("c")]).toEqual([24, 16, null]);
  });

  it("give way to a table that is read again while nobody asks for them, the longest unasked first", async () => {
    for (const [table, size] of [
      ["a", 1],
      ["b", 1],
      ["a", 1],
    ] as const)
      await asked(table, size);
    expect(reads).toBe(2);
    expect([await asked("c", 1), await asked("c", 1), await asked("c", 1)]).toEqual([3, 4, 4]);
    expect(await asked("a", 1)).toBe(1);
    expect(await asked("b", 1)).toBe(5);
  });

  it("do not push each other out where two studies at once have no room together", async () => {
    const seen: unknown[] = [];
    for (let stage = 0; stage < 4; stage++) seen.push(await asked("a", 2), await asked("b", 1));
    expect(seen).toEqual([1, 2, 1, 3, 1, 4, 1, 5]);
    expect([await asked("b", 1), await asked("b", 1)]).toEqual([6, 6]);
  });

  it("are not pushed out by a table that has no room in any case", async () => {
    await asked("a", 1);
    for (let stage = 0; stage < 3; stage++) await asked("large", 3);
    expect(await asked("a", 1)).toBe(1);
  });

  it("keep to their bytes where two tables are read at once", async () => {
    const both = [of("a"), of("b")].map((table) =>
      held.blocks(table, same, reading(1, 2))[Symbol.asyncIterator](),
    );
    for (let i = 0; i < 3; i++) await Promise.all(both.map((one) => one.next()));
    expect([await asked("b", 2), await asked("a", 2), await asked("b", 2)]).toEqual([1, 3, 1]);
  });

  it("count the whole of the memory that columns share, and hold nothing of whose rows they are", async () => {
    const whole = new Float64Array(2);
    const [x, y] = [whole.subarray(0, 1), whole.subarray(1, 2)];
    const own = { rows: 1, columns: [x], labels: null, patients: { key: y } };
    const read = async function* () {
      reads++;
      yield own;
    };
    const kept: object[] = [];
    for (let i = 0; i < 2; i++) for await (const one of held.blocks(of("a"), same, read)) kept.push(one);
    expect([reads, held.needs("a")]).toEqual([1, 16]);
    expect(kept).toEqual([own, { rows: 1, columns: [x], labels: null }]);
  });

  it("go when no stage has asked for a while", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await all(held.blocks(of("a"), same, reading(1)));
      vi.advanceTimersByTime(1001);
      expect(await all(held.blocks(of("a"), same, reading(2)))).toEqual([2]);
      expect(held.needs("a")).toBe(8);
      // A reading may take longer than that.
      for await (const _ of held.blocks(of("a"), same, reading(3))) vi.advanceTimersByTime(1001);
      expect(await all(held.blocks(of("a"), same, reading(4)))).toEqual([2]);
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
