import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { unwrap } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt } from "../../src/data/fault.js";
import { openSource } from "../../src/data/openSource.js";
import { processSecret } from "../../src/data/rowHash.js";
import { sourceWords } from "../../src/data/sources/words.js";
import { type TableConfig, tableConfigSchema } from "../../src/data/tableConfig.js";
import { TableSources } from "../../src/data/tableSources.js";
import { ConfiguredTables } from "../../src/data/tables.js";
import { tableFacts } from "../../src/doctor/tables.js";
import { csvText, temporaryFolder } from "./writeTable.js";

/** Types of the contract's columns, which each kind of source stores as its own. */
export type ContractType = "whole" | "decimal" | "double" | "day" | "text";

export type ContractRow = readonly (string | null)[];

export interface ContractTable {
  readonly columns: readonly { readonly name: string; readonly type: ContractType }[];
  readonly rows: readonly ContractRow[];
}

/** A kind of source with somewhere to store tables. */
export interface ContractStore {
  /** Stores a table and returns the entry of a configuration that names it. */
  write(table: ContractTable): Promise<object>;
  /** The same records by another path or query; left out where there is one way alone. */
  renamed?(entry: object): object;
  /** Of a server: ends what reads, as a failing network or a restart would, and serves again. */
  lose?(): Promise<void>;
  /** Of a server: connections that are open, the caller's own left out. */
  connections?(): Promise<number>;
  remove?(): Promise<void>;
}

const columns: ContractTable["columns"] = [
  { name: "whole", type: "whole" },
  { name: "Exact", type: "decimal" },
  { name: "double", type: "double" },
  { name: "born", type: "day" },
  { name: "ward", type: "text" },
  { name: "who", type: "text" },
];

const long = "x".repeat(10_000);
/** Ends of each type, no value, blanks, letters by case, and what looks like another type. */
const rows: readonly ContractRow[] = [
  ["0", "0.00", "0.1", "1899-12-31", "A", "p1"],
  ["9007199254740993", "12345678.91", "5e-324", "2024-02-29", "a", "p2"],
  ["-9007199254740993", "-0.01", "1.7976931348623157e308", "9999-12-31", " A ", "p3"],
  [null, null, null, null, null, "p4"],
  ["7", "1.50", "0.30000000000000004", "0001-01-01", "Ä 'q\" \\n `", "p5"],
  ["-1", "99999999.99", "-2.5e-2", "1970-01-01", "NaN", "p6"],
  ["1", "3.14", "3.141592653589793", "2000-01-01", long, "p7"],
  ["1", "3.14", "3.141592653589793", "2000-01-01", "1e3", "p7"],
];

const marked = "SECRETLEVEL987654321";

const study: Study = unwrap(
  parseStudy({
    name: "contract",
    table: "records",
    analysis: "pca",
    method: "dp-pca",
    features: [
      ...["whole", "Exact", "double"].map((name) => ({
        name,
        type: "numeric",
        min: -1e18,
        max: 1e18,
        missing: { constant: 0 },
      })),
      { name: "ward", type: "categorical", levels: ["A", "a", "1e3"], missing: "own-level" },
    ],
    patient: { column: "who", maxRows: 1 },
    parameters: { components: 1, form: "two-round" },
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { maxRowsPerSite: 1_000 },
  }),
);

/**
 * What every source of tables holds to: cells and content hash are CSV's, whatever the order of rows; reading ends when it is told
 * to, in blocks of bounded size, without a connection left; a lost connection has its code; no cell is in a fault; one source of
 * records has one cover; the doctor and the data-protection record know it.
 * @param start - null where its programs are not installed
 */
export function sourceContract(kind: string, start: (() => Promise<ContractStore>) | null): void {
  const folder = temporaryFolder();

  describe.skipIf(start === null)(`${kind} as a source of tables`, () => {
    let store: ContractStore;
    beforeAll(async () => {
      store = await start!();
    }, 120_000);
    afterAll(() => store?.remove?.());

    const configOf = (entry: object, more: object = {}): TableConfig =>
      tableConfigSchema.parse({ name: "records", nullValues: ["NaN"], ...entry, ...more });
    const stored = async (table: readonly ContractRow[]) =>
      configOf(await store.write({ columns, rows: table }));
    let files = 0;
    const asCsv = (table: readonly ContractRow[]) => {
      const path = join(folder, `${files++}.csv`);
      writeFileSync(path, csvText({ names: columns.map(({ name }) => name), rows: table }));
      return configOf({ path });
    };
    const seen = async (config: TableConfig) => {
      const tables = new ConfiguredTables([config], folder, processSecret);
      const { rows: used, contentHash } = await tables.preflight(study, {
        minimumRows: 0,
        refuseConstant: false,
      });
      return { used, contentHash };
    };
    /** Every column as number, date and level, as rows in an order of their own. */
    const cellsOf = async (config: TableConfig) => {
      const { LevelIndex, MissingValues } = await import("../../src/data/cells.js");
      const missing = new MissingValues(["NaN"]);
      const { source, files: found } = await openSource(config);
      const names = (
        await source.columns(
          found[0]!,
          columns.map(({ name }) => name),
        )
      ).map(({ name }) => name);
      expect([...names].sort()).toEqual(columns.map(({ name }) => name).sort());
      const requests = columns.flatMap(({ name, type }) => [
        ...(type === "day" ? [] : [{ kind: "number", name } as const]),
        {
          kind: "level",
          name,
          levels: new LevelIndex({ name, levels: ["A", "a", "1e3", "1.50", "2024-02-29", "7"] }, missing),
        } as const,
      ]);
      const read: string[] = [];
      for await (const chunk of source.read(found[0]!, requests, {}))
        for (let r = 0; r < chunk.rows; r++) read.push(inspect(chunk.columns.map((column) => column[r])));
      return read.sort();
    };

    test("has the cells of CSV, numbers, levels and days to the last bit", async () => {
      expect(await cellsOf(await stored(rows))).toEqual(await cellsOf(asCsv(rows)));
    });

    test("has the rows used and the content hash of CSV, in whatever order its rows are", async () => {
      const expected = await seen(asCsv(rows));
      expect(await seen(await stored(rows))).toEqual(expected);
      expect(await seen(await stored(rows.toReversed()))).toEqual(expected);
      expect((await seen(await stored(rows.slice(1)))).contentHash).not.toBe(expected.contentHash);
    });

    test("stops within a block when it is told to, in blocks of bounded size, and leaves nothing open", async () => {
      const many = Array.from(
        { length: 20_000 },
        (_, i): ContractRow => [String(i), "1.00", "0.5", null, "A", "p"],
      );
      const config = await stored(many);
      const { source, files: found } = await openSource(config);
      const stop = new AbortController();
      const reason = new Error("told to stop");
      let after = 0;
      const reading = async () => {
        const request = { kind: "number", name: "whole" } as const;
        for await (const chunk of source.read(found[0]!, [request], { signal: stop.signal })) {
          expect(chunk.rows).toBeLessThanOrEqual(8_192);
          if (stop.signal.aborted) after++;
          stop.abort(reason);
        }
      };
      await expect(reading()).rejects.toBe(reason);
      expect(after).toBe(0);
      if (store.connections === undefined) return;
      await expect.poll(() => store.connections!(), { timeout: 20_000 }).toBe(0);
    });

    test("holds no cell in a fault, and reads on where a cell is nothing of its column's type", async () => {
      const bad: ContractRow[] = [...rows, ["1", "1.00", "1", "2000-01-01", marked, marked]];
      const config = await stored(bad);
      const opened = await new ConfiguredTables([config], folder, processSecret)
        .preflight(study, { minimumRows: 1e6, refuseConstant: false })
        .then(
          (value) => value,
          (thrown: unknown) => thrown,
        );
      const numeric = await attempt(config, undefined, async () => {
        const { source, files: found } = await openSource(config);
        for await (const _ of source.read(found[0]!, [{ kind: "number", name: "ward" }], {}));
      });
      expect(inspect([opened, numeric], { depth: 9, showHidden: true })).not.toContain(marked);
      expect(numeric.ok).toBe(true);
    });

    test("has one cover whatever it is called, and the doctor and the data-protection record know it", async () => {
      const entry = await store.write({ columns, rows });
      const config = configOf(entry);
      const other = configOf({ ...(store.renamed?.(entry) ?? entry), name: "another" });
      const known = new TableSources([config, other], processSecret);
      await known.resolve();
      expect(known.source("records")!.cover).toEqual(known.source("another")!.cover);
      const [facts] = await tableFacts([config], [], { engines: null });
      expect(facts).toMatchObject({ fault: null, columns: columns.length });
      const words = sourceWords(config);
      expect(words).toMatch(/read/);
      expect(words).not.toMatch(/SELECT|password|\.csv|\/tmp/);
    });

    test("has a code of its own for a connection that is lost", async ({ skip }) => {
      if (store.lose === undefined) skip("it has no server");
      const many = Array.from(
        { length: 60_000 },
        (_, i): ContractRow => [String(i), "1.00", "0.5", null, long.slice(0, 500), "p"],
      );
      const config = await stored(many);
      const { source, files: found } = await openSource(config);
      const read = async () => {
        let isFirst = true;
        for await (const _ of source.read(
          found[0]!,
          [{ kind: "level", name: "ward", levels: { code: () => 0 } as never }],
          {},
        )) {
          if (isFirst) await store.lose!();
          isFirst = false;
        }
      };
      await expect(read()).rejects.toMatchObject({ code: "DATABASE_LOST" });
      expect((await seen(await stored(rows))).contentHash).toBe((await seen(asCsv(rows))).contentHash);
    });
  });
}
