/**
 * What a hospital sends for a sound study depends on no record: real processes, studies of every method over tables that
 * differ in one record, or in one that nothing can be made of. Everything that the hospital's agent gives to gRPC is
 * written down as it leaves the process (frameTap.mjs) and compared, frame by frame: kinds, order, sizes, codes. What
 * may differ is inside of masked vectors, keys and signatures.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/postgres/testPostgres";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { editConfig, LocalFederation, type Member } from "../../scripts/localFederation.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const agentMain = here("../../site-agent/dist/main.js");
const tap = ["--import", here("./frameTap.mjs")];

/** As text, or null where there is no value. */
type Row = Readonly<Record<"a" | "b" | "sex" | "outcome", string | null>>;

const rowsAllowed = 60;
const row = (i: number, change: Partial<Row> = {}): Row => ({
  a: String((i * 37) % 101),
  b: String(((i * 13) % 97) / 10),
  sex: i % 3 === 0 ? "f" : "m",
  outcome: i % 2 === 0 ? "good" : "poor",
  ...change,
});
const base = Array.from({ length: rowsAllowed }, (_, i) => row(i));
const withRow7 = (change: Partial<Row>) => base.map((one, i) => (i === 7 ? { ...one, ...change } : one));

/** Tables that differ from the first in one record, or in everything that can be wrong. */
const tables: Readonly<Record<string, readonly Row[]>> = {
  base,
  // With it the table is longer than the study allows.
  more: [...base, row(60)],
  less: base.slice(0, -1),
  changed: withRow7({ a: "100", b: "9.6", sex: "f", outcome: "good" }),
  undeclared: withRow7({ sex: "x", outcome: "unknown" }),
  missing: withRow7({ a: null, outcome: null }),
  words: withRow7({ a: "twelve", b: "NaN" }),
  outside: withRow7({ a: "1e300", b: "-5" }),
  hopeless: Array.from({ length: 200 }, () => row(1, { a: "?", sex: "x", outcome: "unknown" })),
  empty: [],
};
/** Lines that a file's format cannot take apart. */
const brokenLines = { csv: ["1,2", "1,2,f,good,more", '"x"y,2,f,good'], jsonl: ["{", '"x"', "[1, 2]"] };

const columns = ["a", "b", "sex", "outcome"] as const;
const sqlText = (text: string | null) => (text === null ? "NULL" : `'${text.replaceAll("'", "''")}'`);
const values = (rows: readonly Row[]) =>
  rows.map((one) => `(${columns.map((name) => sqlText(one[name])).join(", ")})`).join(", ");
/** All columns are text, so that each format can hold each record. */
const selectOf = (rows: readonly Row[], type: string) => {
  const names = columns.map((name) => `CAST(${name} AS ${type}) AS ${name}`).join(", ");
  const from = rows.length > 0 ? values(rows) : `(${columns.map(() => "NULL").join(", ")})`;
  return `SELECT ${names} FROM (VALUES ${from}) AS t(${columns.join(", ")})${rows.length > 0 ? "" : " WHERE false"}`;
};

type Config = Record<string, unknown>;
type Format = "csv" | "jsonl" | "parquet" | "sqlite" | "postgres";

async function writeTable(
  folder: string,
  format: Format,
  name: string,
  rows: readonly Row[],
  postgres: TestPostgres | null,
  broken: readonly string[] = [],
): Promise<Config> {
  const path = join(folder, `${name}.${format}`);
  switch (format) {
    case "csv": {
      const lines = rows.map((one) => columns.map((column) => one[column] ?? "").join(","));
      await writeFile(path, [columns.join(","), ...lines.toSpliced(3, 0, ...broken), ""].join("\n"));
      return { path, csv: { header: true } };
    }
    case "jsonl": {
      const lines = rows.map((one) => JSON.stringify(one));
      await writeFile(path, [...lines.toSpliced(3, 0, ...broken), ""].join("\n"));
      return { path };
    }
    case "parquet": {
      const instance = await DuckDBInstance.create(":memory:");
      const connection = await instance.connect();
      await connection.run(`COPY (${selectOf(rows, "VARCHAR")}) TO '${path}' (FORMAT parquet)`);
      connection.closeSync();
      instance.closeSync();
      return { path };
    }
    case "sqlite": {
      const database = new Database(path);
      database.exec(`CREATE TABLE records AS ${sqliteSelect(rows)}`);
      database.close();
      return { path };
    }
    case "postgres":
      return { postgres: { url: postgres!.url(), query: selectOf(rows, "text") } };
  }
}

function sqliteSelect(rows: readonly Row[]): string {
  const one = (each: Row) =>
    `SELECT ${columns.map((name) => `${sqlText(each[name])} AS ${name}`).join(", ")}`;
  return rows.length > 0 ? rows.map(one).join(" UNION ALL ") : `${one(row(0))} WHERE 0`;
}

const methods = {
  "dp-pca": { analysis: "pca", parameters: { components: 1 } },
  "felp-a": { analysis: "feature-selection", parameters: { select: 1 } },
  "felp-s": { analysis: "feature-selection", parameters: { select: 1, blocks: 3 } },
  "dp-histboost": { analysis: "boosted-trees", parameters: { trees: 1, depth: 1 } },
  "dp-ka": { analysis: "k-anonymous-selection", parameters: { k: 2, trees: 1, depth: 1, maxCells: 4 } },
  "dp-pcc": { analysis: "correlation-tree", parameters: { depth: 1, bins: 4 } },
  "dp-pcc-s": { analysis: "correlation-tree", parameters: { depth: 1, bins: 4, blocks: 3 } },
} as const;
type Method = keyof typeof methods;

function studyOf(method: Method, table: string): Record<string, unknown> {
  const edges = method === "dp-ka";
  return {
    name: "frames",
    table,
    method,
    variant: "sound",
    ...methods[method],
    features: [
      { name: "a", type: "numeric", min: 0, max: 100, ...(edges && { edges: [50] }) },
      { name: "b", type: "numeric", min: 0, max: 10, ...(edges && { edges: [5] }) },
      { name: "sex", type: "categorical", levels: ["f", "m"] },
    ],
    label: { name: "outcome", levels: ["good", "poor"] },
    privacy: { epsilon: 5, delta: 1e-5 },
    participation: {
      sites: ["hospital-a", "hospital-b", "hospital-c"],
      minimumSites: 3,
      maxRowsPerSite: rowsAllowed,
      phaseDeadline: "5m",
    },
  };
}

const everyWrong = "every-wrong";
const formats: readonly Format[] = ["csv", "jsonl", "parquet", "sqlite", "postgres"];
const tableName = (format: Format, kind: string) => `${format}-${kind}`;

let folder: string;
let federation: LocalFederation;
let postgres: TestPostgres | null = null;
let agent: Member;
const frames = () => join(folder, "frames.jsonl");

/** Everything that the hospital has tables for. */
async function writeAll(): Promise<Record<string, Config>> {
  const all: Record<string, Config> = {};
  for (const format of formats) {
    if (format === "postgres" && postgres === null) continue;
    for (const [kind, rows] of Object.entries(tables))
      all[tableName(format, kind)] = await writeTable(folder, format, kind, rows, postgres);
  }
  for (const format of ["csv", "jsonl"] as const) {
    const name = tableName(format, "broken");
    all[name] = await writeTable(folder, format, "broken", base, null, brokenLines[format]);
  }
  const wrong = [...tables.hopeless!, ...tables.words!, ...tables.undeclared!, ...tables.missing!];
  all[everyWrong] = await writeTable(folder, "csv", everyWrong, wrong, null, brokenLines.csv);
  return all;
}

/** The hospital with other programs, on the same state. */
async function startAgent(program: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<void> {
  await agent?.stop();
  const { Member: Process } = await import("../../scripts/localFederation.js");
  const state = join(federation.home, "sites", "hospital-a");
  agent = new Process(
    "site-agent",
    state,
    { ...federation.environment, FRAME_TAP: frames(), ...environment },
    program,
  );
  federation.sites.set("hospital-a", agent);
  await agent.start();
  await federation.waitForSites();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-frames-"));
  await mkdir(folder, { recursive: true });
  await writeFile(frames(), "");
  const programs = postgresPrograms();
  if (programs !== null) postgres = await TestPostgres.start(programs);
  const all = await writeAll();
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  const plain = await writeTable(folder, "csv", "plain", base, null);
  for (const id of ["hospital-a", "hospital-b", "hospital-c"]) {
    const member = await federation.addSite({ id, tables: { plain: plain.path as string } });
    await member.stop();
    const others = Object.fromEntries(Object.keys(all).map((name) => [name, plain]));
    await editConfig(member.state, (config) => {
      config.tables = id === "hospital-a" ? all : others;
    });
    if (id !== "hospital-a") await member.start();
  }
  await startAgent([...tap, agentMain]);
}, 300_000);

afterAll(async () => {
  await federation?.remove();
  await postgres?.remove();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Runs a study to its end. @returns its id */
async function run(method: Method, table: string): Promise<string> {
  const { id } = await federation.startStudy(studyOf(method, table));
  await federation.waitForStudy(id, ({ endedAt }) => endedAt !== null, 240_000).catch(() => undefined);
  return id;
}

/** So many studies at once: much of one is waiting. */
async function runAll(pairs: readonly (readonly [Method, string])[]): Promise<string[]> {
  const ids: string[] = [];
  const queue = [...pairs.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      ids[next[0]] = await run(...next[1]);
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  return ids;
}

/** What left for a study, in its order; of a message that was sent again, because it was asked for again, the first. */
async function leftFor(study: string): Promise<string[]> {
  const lines = (await readFile(frames(), "utf8")).trim().split("\n");
  const own = lines
    .map((line) => JSON.parse(line) as { call: string; study: string | null; message: unknown })
    .filter((line) => line.study === study)
    .map(({ call, message }) => `${call} ${JSON.stringify(message)}`);
  return [...new Set(own)];
}

/** Of a method whose next step noisy sums decide: what left for the steps that both studies had. */
function inCommonSteps(own: readonly string[], other: readonly string[]): [string[], string[]] {
  const stepOf = (line: string) => /"step":"([^"]*)"/.exec(line)?.[1] ?? "";
  const shared = (lines: readonly string[], steps: ReadonlySet<string>) =>
    lines.filter((line) => steps.has(stepOf(line)));
  return [shared(own, new Set(other.map(stepOf))), shared(other, new Set(own.map(stepOf)))];
}

describe("a hospital sends the same frames", () => {
  it("for every sound method, whatever is wrong with its table", async () => {
    const names = Object.keys(methods) as Method[];
    const ids = await runAll(
      names.flatMap((method) => [[method, tableName("csv", "base")] as const, [method, everyWrong] as const]),
    );
    for (const [m, method] of names.entries()) {
      const [good, wrong] = await Promise.all([leftFor(ids[2 * m]!), leftFor(ids[2 * m + 1]!)]);
      expect(good.length, method).toBeGreaterThan(5);
      expect(
        good.some((line) => line.includes('"exchangeKey"')),
        `${method} is joined`,
      ).toBe(true);
      expect(
        good.some((line) => line.startsWith("sendVector")),
        `${method} is answered`,
      ).toBe(true);
      expect(good.join("\n")).not.toContain("stepFault");
      const [own, other] = method === "dp-ka" ? inCommonSteps(good, wrong) : [good, wrong];
      expect(other, method).toEqual(own);
    }
  }, 600_000);

  it("for tables that differ in one record of any kind, in every format", async () => {
    const kinds = Object.keys(tables);
    const own = formats.filter((format) => format !== "postgres" || postgres !== null);
    const asked = own.flatMap((format) => [
      ...kinds.map((kind) => tableName(format, kind)),
      ...(format === "csv" || format === "jsonl" ? [tableName(format, "broken")] : []),
    ]);
    const ids = await runAll(asked.map((name) => ["dp-pcc", name] as const));
    const expected = await leftFor(ids[0]!);
    expect(expected.some((line) => line.startsWith("sendVector"))).toBe(true);
    for (const [i, name] of asked.entries()) expect(await leftFor(ids[i]!), name).toEqual(expected);
  }, 900_000);
});

describe("the comparison catches a hospital", () => {
  const weakened = ["--import", "tsx", here("./weakenedSite.ts")];

  it("that reads its table through before it joins, and refuses by what it found", async () => {
    await startAgent([...tap, ...weakened], { WEAKENED: "preflight" });
    const [good, undeclared, more] = await runAll(
      ["base", "undeclared", "more"].map((kind) => ["dp-pcc", tableName("csv", kind)] as const),
    );
    const expected = await leftFor(good!);
    expect(expected.some((line) => line.startsWith("sendVector"))).toBe(true);
    for (const id of [undeclared, more]) {
      const left = await leftFor(id!);
      expect(left).not.toEqual(expected);
      expect(left.join("\n")).toContain("PREFLIGHT_FAILED");
    }
  }, 300_000);

  it("that tells how far it is", async () => {
    await startAgent([...tap, ...weakened], { WEAKENED: "progress" });
    const before = (await readFile(frames(), "utf8")).length;
    await run("dp-pcc", tableName("csv", "base"));
    const middle = (await readFile(frames(), "utf8")).length;
    await run("dp-pcc", tableName("csv", "empty"));
    const all = await readFile(frames(), "utf8");
    const told = (text: string) => text.split('"step":"rows"').length - 1;
    expect(told(all.slice(middle))).toBe(0);
    expect(told(all.slice(before, middle))).toBeGreaterThan(0);
  }, 300_000);
});
