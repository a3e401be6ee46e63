import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import type { HeldPassResult } from "./heldPass.js";
import { atMost, type Mark } from "./marks.js";
import type { ReadPass, ReadPassResult } from "./readPass.js";

/**
 * How fast a site reads its table, beside pandas and pyarrow reading the same file, and in how much memory. But for columns alone ours
 * includes what a study needs of every value: bounds, checks and the hash of the contents.
 */

const start = promisify(execFile);

const usage = `Usage: npm run bench -- read [--rows 1000000] [--columns 48] [--repetitions 3] [--only passes|stages|memory] [--json]
The references run in the Python of CONSILIUM_PYTHON (default: python3), which needs pandas and pyarrow.`;

/** A table that is read, and what its reading may cost. */
interface Measure {
  readonly name: string;
  readonly file: "parquet" | "csv";
  readonly pass: ReadPass;
  /** What is timed in Python, `f` being the file. */
  readonly reference: { readonly name: string; readonly python: string };
  /** Our seconds over the reference's, at most; null where none is set. */
  readonly target: number | null;
}

const pyarrowParquet = {
  name: "pyarrow",
  python: "import pyarrow.parquet as p; load = lambda f: p.read_table(f)",
};
const pyarrowCsv = { name: "pyarrow", python: "import pyarrow.csv as p; load = lambda f: p.read_csv(f)" };
const pandasCsv = { name: "pandas", python: "import pandas as p; load = lambda f: p.read_csv(f)" };

const measures: readonly Measure[] = [
  {
    name: "Parquet → preflight",
    file: "parquet",
    pass: "preflight",
    reference: pyarrowParquet,
    target: null,
  },
  { name: "Parquet → blocks", file: "parquet", pass: "blocks", reference: pyarrowParquet, target: null },
  { name: "Parquet → Gram", file: "parquet", pass: "gram", reference: pyarrowParquet, target: 1 },
  { name: "CSV → columns", file: "csv", pass: "columns", reference: pandasCsv, target: 1.5 },
  { name: "CSV → blocks", file: "csv", pass: "blocks", reference: pandasCsv, target: null },
  { name: "CSV → blocks", file: "csv", pass: "blocks", reference: pyarrowCsv, target: null },
];

interface Outcome {
  readonly measure: string;
  readonly seconds: number;
  /** The library and its version. */
  readonly reference: string;
  readonly referenceSeconds: number | null;
  readonly ratio: number | null;
  /** Of the processor's times, which stays what it is where other programs run. */
  readonly processorRatio: number | null;
  readonly target: number | null;
  readonly peakMib: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: "string", default: "1000000" },
      columns: { type: "string", default: "48" },
      repetitions: { type: "string", default: "3" },
      only: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const [rows, columns, repetitions] = [values.rows, values.columns, values.repetitions].map(Number) as [
    number,
    number,
    number,
  ];
  const folder = mkdtempSync(join(tmpdir(), "consilium-read-"));
  try {
    if (values.only === undefined || values.only === "memory") await readInMemory(folder);
    if (values.only === "memory") return;
    if (values.only !== "passes") {
      const stages = await heldStages(folder, repetitions);
      console.log(values.json ? JSON.stringify(stages, null, 2) : stagesText(stages));
    }
    if (values.only === "stages") return;
    await writeNumbers(folder, rows, columns);
    const outcomes: Outcome[] = [];
    for (const measure of measures) outcomes.push(await compare(measure, folder, columns, repetitions));
    const floor: number[] = [];
    for (let i = 0; i < repetitions; i++) floor.push(await addedUpByDuckDb(join(folder, "t.csv"), columns));
    const duckdbSeconds = median(floor);
    if (values.json)
      console.log(JSON.stringify({ rows, columns, repetitions, outcomes, duckdbSeconds }, null, 2));
    else print(outcomes, { rows, columns, duckdbSeconds });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `rows × columns` numbers of [0, 1), the same at every run: as `t.parquet` and, of the same values, `t.csv`. */
export async function writeNumbers(folder: string, rows: number, columns: number, csv = true): Promise<void> {
  // One thread: with several, which row gets which draw is up to their timing.
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", temp_directory: "" });
  const connection = await instance.connect();
  try {
    await connection.run("SELECT setseed(0.25)");
    const values = Array.from({ length: columns }, (_, k) => `random() AS c${k}`).join(", ");
    await connection.run(
      `COPY (SELECT ${values} FROM range(${rows})) TO '${folder}/t.parquet' (FORMAT parquet)`,
    );
    if (csv)
      await connection.run(`COPY (FROM '${folder}/t.parquet') TO '${folder}/t.csv' (FORMAT csv, HEADER)`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const manyRows = 5_000_000;
/** What reading may take of a table of any length, beside blocks that are held. */
const maxPeakMib = 512;

/** The peak of a process that reads many rows by columns, and holds none of them. */
async function readInMemory(folder: string): Promise<void> {
  const own = join(folder, "many");
  mkdirSync(own);
  await writeNumbers(own, manyRows, 8);
  for (const file of ["csv", "parquet"]) {
    const { rows, peakMib } = await readPass(join(own, `t.${file}`), 8, "columns");
    if (rows !== manyRows) throw new Error(`${file}: ${rows} rows of ${manyRows} were read`);
    const mark = atMost(
      `peak of reading ${manyRows.toLocaleString("en-US")} rows of ${file}, MiB`,
      peakMib,
      maxPeakMib,
    );
    if (mark.verdict === "missed") process.exitCode = 1;
    console.log(`${mark.what}: ${mark.found} (${mark.mark}: ${mark.verdict})`);
  }
  rmSync(own, { recursive: true });
}

/** Two tables of CSV whose blocks need a little less and a little more than 64 MiB, and 17 columns. */
const heldRows = [420_000, 520_000] as const;
const heldFeatures = 16;
const heldStagesEach = 5;
/** What the larger table's stage may take, of the smaller one's. */
const maxGrowth = 1.5;

interface HeldStages {
  readonly load: readonly number[];
  /** By what may be held: a quarter of 256 MiB, and of this machine's memory. */
  readonly tables: readonly {
    readonly holds: string;
    readonly rows: number;
    readonly result: HeldPassResult;
  }[];
  readonly marks: readonly Mark[];
}

/** Stages of a regression after the first one, where the table is held and where it has no room. */
async function heldStages(folder: string, repetitions: number): Promise<HeldStages> {
  const script = fileURLToPath(new URL("./heldPass.ts", import.meta.url));
  const paths = new Map<number, string>();
  for (const rows of heldRows) {
    const own = join(folder, String(rows));
    mkdirSync(own);
    await writeNumbers(own, rows, heldFeatures, false);
    paths.set(rows, await withOutcome(own));
  }
  // Files that changed a moment ago are read at each stage.
  await setTimeout(2100);
  const measured: { holds: string; rows: number; result: HeldPassResult }[] = [];
  for (let i = 0; i < repetitions; i++)
    for (const memoryMib of ["256", null])
      for (const rows of heldRows) {
        const given = [paths.get(rows)!, String(heldFeatures), String(heldStagesEach)];
        const result = await inProcess<HeldPassResult>(
          script,
          memoryMib === null ? given : [...given, memoryMib],
        );
        measured.push({ holds: memoryMib === null ? "a quarter of the memory" : "64 MiB", rows, result });
      }
  const tables = ["64 MiB", "a quarter of the memory"].flatMap((holds) =>
    heldRows.map((rows) => {
      const own = measured
        .filter((one) => one.holds === holds && one.rows === rows)
        .map(({ result }) => result);
      const of = (key: keyof HeldPassResult) => median(own.map((result) => result[key]));
      return {
        holds,
        rows,
        result: {
          seconds: of("seconds"),
          processor: of("processor"),
          peakMib: of("peakMib"),
          needsMib: of("needsMib"),
        },
      };
    }),
  );
  const growth = (key: "seconds" | "processor") => tables[3]!.result[key] / tables[2]!.result[key];
  const marks = [
    atMost("a stage of 520,000 rows over one of 420,000, wall", growth("seconds"), maxGrowth),
    atMost("a stage of 520,000 rows over one of 420,000, processor", growth("processor"), maxGrowth),
  ];
  if (marks.some(({ verdict }) => verdict === "missed")) process.exitCode = 1;
  return { load: loadavg(), tables, marks };
}

function stagesText({ load, tables, marks }: HeldStages): string {
  return [
    `Stages of a regression over CSV of ${heldFeatures + 1} columns, after the first; load ${load.map((one) => one.toFixed(1)).join(", ")}`,
    ...tables.map(
      ({ holds, rows, result: { seconds, processor, peakMib, needsMib } }) =>
        `  holds ${holds}: ${rows.toLocaleString("en-US")} rows, which need ${needsMib.toFixed(0)} MiB: ${seconds.toFixed(2)} s, of the processor ${processor.toFixed(2)} s, peak ${peakMib.toFixed(0)} MiB`,
    ),
    ...marks.map(({ what, found, mark, verdict }) => `  ${what}: ${found} (${mark}: ${verdict})`),
  ].join("\n");
}

/** The numbers of `t.parquet` with an outcome beside them, as CSV. @returns its path */
async function withOutcome(folder: string): Promise<string> {
  const path = join(folder, "ill.csv");
  const instance = await DuckDBInstance.create(":memory:", { temp_directory: "" });
  const connection = await instance.connect();
  try {
    await connection.run(
      `COPY (SELECT *, (c0 + c1 > 1)::INTEGER AS ill FROM '${folder}/t.parquet') TO '${path}' (FORMAT csv, HEADER)`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return path;
}

/** Seconds in which DuckDB reads the CSV file on all cores and adds up each column. */
async function addedUpByDuckDb(file: string, columns: number): Promise<number> {
  const instance = await DuckDBInstance.create(":memory:", { temp_directory: "" });
  const connection = await instance.connect();
  const names = Array.from({ length: columns }, (_, k) => `c${k}`);
  const types = names.map((name) => `${name}: 'DOUBLE'`).join(", ");
  try {
    const begin = performance.now();
    await connection.runAndReadAll(
      `SELECT ${names.map((name) => `sum(${name})`).join(", ")}
        FROM read_csv('${file}', auto_detect = false, header = true, columns = {${types}})`,
    );
    return (performance.now() - begin) / 1000;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Runs one pass of `readPass.ts` in a process of its own, from sources as this one. */
export async function readPass(file: string, columns: number, pass: ReadPass): Promise<ReadPassResult> {
  const script = fileURLToPath(new URL("./readPass.ts", import.meta.url));
  return inProcess<ReadPassResult>(script, [file, String(columns), pass]);
}

/** What a script of this folder prints, in a process of its own. */
async function inProcess<Result>(script: string, args: readonly string[]): Promise<Result> {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout } = await start(process.execPath, ["--import", "tsx", script, ...args], {
    cwd: root,
    env: { ...process.env, TSX_TSCONFIG_PATH: join(root, "tsconfig.check.json") },
  });
  return JSON.parse(stdout) as Result;
}

async function compare(
  measure: Measure,
  folder: string,
  columns: number,
  repetitions: number,
): Promise<Outcome> {
  const file = join(folder, `t.${measure.file}`);
  const ours: ReadPassResult[] = [];
  const theirs: PythonReading[] = [];
  // In turns, so that what else the machine does falls on both.
  for (let i = 0; i < repetitions; i++) {
    ours.push(await readPass(file, columns, measure.pass));
    const reading = await readByPython(measure.reference.python, file);
    if (reading !== null) theirs.push(reading);
  }
  const seconds = median(ours.map((result) => result.seconds));
  const referenceSeconds = theirs.length === 0 ? null : median(theirs.map((reading) => reading.seconds));
  const processor = median(ours.map((result) => result.processor));
  return {
    measure: measure.name,
    seconds,
    reference: [measure.reference.name, ...theirs.slice(0, 1).map(({ version }) => version)].join(" "),
    referenceSeconds,
    ratio: referenceSeconds === null ? null : seconds / referenceSeconds,
    processorRatio: theirs.length === 0 ? null : processor / median(theirs.map((one) => one.processor)),
    target: measure.target,
    peakMib: Math.max(...ours.map((result) => result.peakMib)),
  };
}

interface PythonReading {
  /** Python's start not counted. */
  readonly seconds: number;
  readonly processor: number;
  /** Of the library. */
  readonly version: string;
}

/**
 * @param load - imports a library as `p`, and defines `load` of a file's path
 * @returns null where Python lacks the library
 */
async function readByPython(load: string, file: string): Promise<PythonReading | null> {
  const python = process.env.CONSILIUM_PYTHON ?? "python3";
  const program = `${load}
import json, sys, time
version = sys.modules[p.__name__.split(".")[0]].__version__
t = time.perf_counter(); c = time.process_time(); load(sys.argv[1])
print(json.dumps({"seconds": time.perf_counter() - t, "processor": time.process_time() - c, "version": version}))`;
  try {
    const { stdout } = await start(python, ["-c", program, file]);
    return JSON.parse(stdout) as PythonReading;
  } catch {
    return null;
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function print(
  outcomes: readonly Outcome[],
  {
    rows,
    columns,
    duckdbSeconds,
  }: { readonly rows: number; readonly columns: number; readonly duckdbSeconds: number },
): void {
  const load = loadavg().map((one) => one.toFixed(1));
  console.log(
    `Reading ${rows.toLocaleString("en-US")} × ${columns} numbers, median of the runs; load ${load.join(", ")}`,
  );
  for (const outcome of outcomes) {
    const reference =
      outcome.referenceSeconds === null
        ? `${outcome.reference} is not there: no ratio`
        : `${outcome.reference} ${outcome.referenceSeconds.toFixed(2)} s, ratio ${outcome.ratio!.toFixed(2)}, of the processor ${outcome.processorRatio!.toFixed(2)}`;
    const target =
      outcome.target === null || outcome.ratio === null
        ? ""
        : ` (at most ${outcome.target}: ${outcome.ratio <= outcome.target ? "met" : "MISSED"})`;
    console.log(
      `  ${outcome.measure.padEnd(20)} ${outcome.seconds.toFixed(2)} s, peak ${outcome.peakMib.toFixed(0)} MiB; ${reference}${target}`,
    );
  }
  console.log(`  DuckDB alone reads the CSV and adds its columns up in ${duckdbSeconds.toFixed(2)} s`);
}
