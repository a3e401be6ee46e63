import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { SiteId, StageId } from "@consilium/core/ids";
import { stageTable } from "@consilium/core/learning/stageTable";
import { siteSideOf } from "@consilium/core/method/method";
import { Methods } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { planStudy } from "@consilium/core/study/plan";
import { type Study, type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { answerOf } from "@consilium/gate/answer";
import { lengthOf } from "@consilium/gate/query";
import { openKernels } from "@consilium/kernels/open";
import { soundMethods } from "@consilium/methods/all";
import { osRandom } from "@consilium/runtime/random";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { Engines } from "@consilium/site-agent/engines/engines";
import { sparkEngine } from "@consilium/site-agent/engines/spark/sparkConfig";
import { nodeProgram, readerProgram, type WorkerProgram } from "@consilium/site-agent/engines/workerProcess";
import { Retries } from "@consilium/site-agent/tables/retries";
import { DuckDBInstance } from "@duckdb/node-api";
import { atLeast, atMost, type Mark } from "./marks.js";
import { ProcessorTime } from "./processorTime.js";

/**
 * A site's first stage over a Parquet file, in the agent's own process and in pairs of a reader and a fold worker, as many as the cores
 * that they may use: rows per second, processor time and memory. Beside them DuckDB's own sums of all products, by SQL and with a thread
 * for each core. With `--spark` a level of dp-pcc and of dp-histboost on Spark, beside Spark's own SQL aggregates in PySpark. Everything
 * is measured in turn, `--repeats` times; the least of each counts, and marks are printed as met or missed. Cores of a machine that others
 * use too, or that are threads of one, give less together than each alone: beside n workers stand n runs of one worker that share
 * nothing. Nothing is said of more cores than there are.
 */
const usage = () =>
  `Usage: npm run bench -- engines [--rows 10000000] [--workers 1,2] [--repeats 3] [--patients] [--spark] [--only ${Object.keys(methods).join("|")}|none] [--json]`;

/** Of the first worker's speed, for each further one. */
const scaleLeast = 0.85;
/** Times Spark's own SQL. */
const sparkMost = 2;
/** A worker with its reader. */
const memoryMostMib = 512;

const features = 14;

/** As it was built: a bench runs from sources. */
const built = (name: string) => fileURLToPath(new URL(`../../site-agent/dist/${name}.mjs`, import.meta.url));

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string", default: "10000000" },
      workers: { type: "string", default: "1,2" },
      repeats: { type: "string", default: "3" },
      patients: { type: "boolean", default: false },
      spark: { type: "boolean", default: false },
      only: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const rows = Number(values.rows);
  const counts = values.workers.split(",").map(Number);
  const repeats = Number(values.repeats);
  if (![rows, repeats, ...counts].every((count) => Number.isSafeInteger(count) && count >= 1))
    throw new Error(usage());
  if (counts[0] !== 1) throw new Error(`--workers begins with 1, which others are compared with\n${usage()}`);
  const folder = mkdtempSync(join(tmpdir(), "consilium-engines-"));
  try {
    const path = join(folder, "table.parquet");
    await writeParquet(path, rows);
    const results: object[] = [];
    const marks: Mark[] = [];
    const figures = ({ seconds, cpu, peaks }: Measured) => ({
      rowsPerSecond: Math.round(rows / seconds),
      cpuPerMillion: Number(((1e6 * cpu) / rows).toFixed(2)),
      ...peaks,
    });
    if (!values.patients) {
      const [aggregates] = await inTurn(repeats, [() => duckdbSums(path)]);
      results.push({ method: "sums of products", engine: "DuckDB's SQL", ...figures(aggregates) });
    }
    for (const [name, own] of Object.entries(methods)) {
      if (values.only !== undefined && values.only !== name) continue;
      const bound = values.patients ? { patient: { column: "who", maxRows: 2 } } : {};
      const document = studyDocument(
        unwrap(new Methods(soundMethods).parse({ ...common(rows), ...own, ...bound })),
      );
      const [alone, ...measurements] = await inTurn(repeats, [
        () => measured(path, document, null),
        ...counts.map((workers) => () => onCores(workers, () => measured(path, document, workers))),
        ...counts.slice(1).map((workers) => () => onCores(workers, () => apart(path, document, workers))),
      ]);
      results.push({ method: name, engine: "the agent", ...figures(alone) });
      const first = measurements[0]!;
      for (const [at, workers] of counts.entries()) {
        const shared = measurements[at]!;
        const control = at === 0 ? null : measurements[counts.length + at - 1]!;
        if (shared.integers !== alone.integers)
          throw new Error(`${name}: ${workers} workers give other integers`);
        marks.push(...marksOf(`${name}, ${workers} workers`, { shared, first, control, workers }));
        results.push({
          method: name,
          engine: `${workers} workers`,
          ...figures(shared),
          timesTheAgent: Number((alone.seconds / shared.seconds).toFixed(2)),
          timesTheFirst: Number((first.seconds / shared.seconds).toFixed(2)),
          cpuOfTheAgents: Number((shared.cpu / alone.cpu).toFixed(2)),
        });
      }
    }
    if (values.spark) {
      const spark = await sparkLevels(path, rows, repeats);
      results.push(...spark.results);
      marks.push(...spark.marks);
    }
    const machine = { cores: cpus().length, load: loadavg().map((load) => Number(load.toFixed(1))) };
    if (marks.some(({ verdict }) => verdict === "missed")) process.exitCode = 1;
    if (values.json) return console.log(JSON.stringify({ rows, repeats, machine, results, marks }));
    console.table(results);
    console.table(marks);
    console.log(
      `${rows} rows, the least of ${repeats}; ${machine.cores} cores, load ${machine.load.join(", ")}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lets this process, and those that it starts meanwhile, use so many cores. @throws Error without `taskset` */
async function onCores<T>(count: number, work: () => Promise<T>): Promise<T> {
  const most = cpus().length;
  const pin = (cores: number) => {
    const { status } = spawnSync("taskset", ["-acp", `0-${cores - 1}`, String(process.pid)]);
    if (status !== 0) throw new Error("taskset (util-linux) is needed to give workers a core each");
  };
  if (count >= most) return work();
  pin(count);
  try {
    return await work();
  } finally {
    pin(most);
  }
}

/** @param of.control - as many runs of one worker, which share nothing; null for the first */
function marksOf(
  what: string,
  of: {
    readonly shared: Measured;
    readonly first: Measured;
    readonly control: Measured | null;
    readonly workers: number;
  },
): Mark[] {
  const { shared, first, control, workers } = of;
  const scale =
    control === null
      ? []
      : [
          atLeast(`${what}: speed for each core`, first.seconds / shared.seconds / workers, scaleLeast),
          atLeast(
            `${what}: the same, beside runs that share nothing`,
            control.seconds / shared.seconds / workers,
            scaleLeast,
          ),
        ];
  const { workerMiB = 0, readerMiB = 0 } = shared.peaks;
  return [...scale, atMost(`${what}: MiB of a worker and its reader`, workerMiB + readerMiB, memoryMostMib)];
}

/** Runs of one worker at the same time, each over the whole table: what so many cores of this machine give to processes that share nothing. */
async function apart(path: string, document: StudyDocument, runs: number): Promise<Measured> {
  const all = await Promise.all(Array.from({ length: runs }, () => measured(path, document, 1)));
  return { ...all[0]!, seconds: Math.max(...all.map(({ seconds }) => seconds)) };
}

/** Measures in turn, several times. @returns of each the least seconds and processor time, and the most memory */
async function inTurn<M extends readonly (() => Promise<Measured>)[]>(
  repeats: number,
  measures: readonly [...M],
): Promise<{ [K in keyof M]: Measured }> {
  const found: Measured[][] = measures.map(() => []);
  for (let time = 0; time < repeats; time++)
    for (const [at, measure] of measures.entries()) found[at]!.push(await measure());
  const least = found.map((all) => {
    const peaks: Record<string, number> = {};
    for (const one of all)
      for (const [kind, mib] of Object.entries(one.peaks)) peaks[kind] = Math.max(peaks[kind] ?? 0, mib);
    const seconds = Math.min(...all.map((one) => one.seconds));
    return { ...all[0]!, seconds, cpu: Math.min(...all.map(({ cpu }) => cpu)), peaks };
  });
  return least as { [K in keyof M]: Measured };
}

const methods = {
  "dp-histboost": {
    analysis: "boosted-trees",
    parameters: { trees: 2, depth: 2, featuresPerNode: features },
  },
  "dp-pcc": { analysis: "correlation-tree", method: "dp-pcc", parameters: { depth: 2 } },
  "dp-pca": { analysis: "pca", parameters: { components: 2, form: "one-round", ball: "private", radius: 2 } },
};

const common = (rows: number) => ({
  name: "engines",
  table: "records",
  features: Array.from({ length: features }, (_, k) => ({ name: `x${k}`, type: "numeric", min: 0, max: 1 })),
  label: { name: "ill", levels: ["no", "yes"] },
  privacy: { epsilon: 4, delta: 1e-9 },
  participation: { minimumSites: 3, maxRowsPerSite: rows },
});

async function writeParquet(path: string, rows: number): Promise<void> {
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  const columns = Array.from({ length: features }, (_, k) => `hash(i * 31 + ${k}) % 10007 / 10007 AS x${k}`);
  await connection.run(
    `COPY (SELECT ${columns.join(", ")}, CASE WHEN hash(i) % 3 = 0 THEN 'yes' ELSE 'no' END AS ill,
      hash(i) % ${Math.ceil(rows / 5)} AS who FROM range(${rows}) t(i)) TO '${path}' (FORMAT parquet)`,
  );
  connection.closeSync();
  database.closeSync();
}

const site = "hospital-a" as SiteId;

interface Measured {
  readonly seconds: number;
  /** Processor time of all processes, in seconds. */
  readonly cpu: number;
  readonly integers: string;
  /** The most memory that one process of each kind held, in MiB. */
  readonly peaks: Readonly<Record<string, number>>;
}

/** Processor time of this process and of those that it started and that have ended, in seconds. */
function cpuSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
    .map(Number);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks / 100, 0);
}

/** Follows the memory of processes by their kind. */
class Peaks {
  readonly mib: Record<string, number> = {};
  readonly #kinds = new Map<number, string>();
  readonly #timer = setInterval(() => this.#look(), 100);

  of(kind: string, program: WorkerProgram): WorkerProgram {
    return { ...program, onStart: (pid) => this.#kinds.set(pid, kind) };
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const [pid, kind] of this.#kinds) {
      try {
        const [, kib = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        this.mib[kind] = Math.max(this.mib[kind] ?? 0, Math.round(Number(kib) / 1024));
      } catch {
        this.#kinds.delete(pid);
      }
    }
  }
}

async function duckdbSums(path: string): Promise<Measured> {
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  const products = Array.from({ length: features }, (_, i) =>
    Array.from({ length: i + 1 }, (_, j) => `sum(x${i} * x${j})`),
  ).flat();
  const [from, cpu] = [performance.now(), cpuSeconds()];
  await connection.runAndReadAll(`SELECT ${products.join(", ")} FROM '${path}'`);
  const seconds = (performance.now() - from) / 1000;
  const spent = cpuSeconds() - cpu;
  connection.closeSync();
  database.closeSync();
  return { seconds, cpu: spent, integers: "", peaks: {} };
}

/** @param workers - null for the agent's own process */
async function measured(path: string, document: StudyDocument, workers: number | null): Promise<Measured> {
  const engine = { engine: workers === null ? "none" : "box" };
  const { patient } = document.study;
  const unit = patient === undefined ? "rows" : { patient };
  const config = tableConfigSchema.parse({ name: "records", path, unit, ...engine });
  const peaks = new Peaks();
  const engines = new Engines(workers === null ? {} : { box: { kind: "processes", workers } }, {
    program: peaks.of("workerMiB", nodeProgram(built("fold-worker"))),
    reader: peaks.of("readerMiB", readerProgram(built("reader"))),
  });
  try {
    const one = await stageOf(
      new ConfiguredTables([config], "/", new Uint8Array(32), engines),
      document,
      cpuSeconds,
    );
    return { ...one, peaks: peaks.mib };
  } finally {
    peaks.end();
    await engines.close();
  }
}

async function firstStageOf(study: Study) {
  const stage: StageId = planStudy(study).stages[0]!.id;
  const broadcasts: Broadcasts = new Map();
  const { proposal } = await siteSideOf(study);
  const told = proposal!(stage, { study, site, broadcasts });
  return { stage, told, entries: lengthOf(told.query), broadcasts };
}

/** Computes the study's first stage. @param cpuOf - processor seconds so far of what computes it */
async function stageOf(
  tables: ConfiguredTables,
  document: StudyDocument,
  cpuOf: () => number,
): Promise<Omit<Measured, "peaks">> {
  const { study } = document;
  const { stage, told, entries, broadcasts } = await firstStageOf(study);
  const kernels = await openKernels();
  try {
    const [from, cpu] = [performance.now(), cpuOf()];
    const table = stageTable(study, { blocks: tables.read(study, ignored), kernels, random: osRandom });
    const parts = await tables.parts({
      document,
      stage,
      site,
      broadcasts,
      entries,
      approval: null,
      found: ignored,
      signal: new AbortController().signal,
      retries: new Retries(),
    });
    const { exact } = await answerOf(told, parts === null ? table : { ...table, parts });
    const integers = sha256(new Uint8Array(exact.buffer, exact.byteOffset, exact.byteLength));
    return { seconds: (performance.now() - from) / 1000, cpu: cpuOf() - cpu, integers };
  } finally {
    await kernels.close();
  }
}

const python = process.env.CONSILIUM_PYTHON ?? "python3";

/** Levels on Spark: ours, and as Spark's own SQL in a session of PySpark that waits meanwhile. Both have started, and have read the table once. */
async function sparkLevels(
  path: string,
  rows: number,
  repeats: number,
): Promise<{ readonly results: object[]; readonly marks: Mark[] }> {
  const master = `local[${cpus().length}]`;
  const script = fileURLToPath(new URL("./native_spark.py", import.meta.url));
  const native = spawn(python, [script, path, String(features), master], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface(native.stdout)[Symbol.asyncIterator]();
  const said = async () =>
    JSON.parse((await lines.next()).value as string) as { seconds: number; cpu: number };
  const program = { worker: built("fold-worker"), environment: process.env };
  const cluster = { ...sparkEngine.parse({ kind: "spark", master, python }), program };
  const engines = new Engines({ lake: cluster });
  const config = tableConfigSchema.parse({
    name: "records",
    spark: { parquet: path },
    unit: "rows",
    engine: "lake",
  });
  const tables = new ConfiguredTables([{ ...config, cluster }], "/", new Uint8Array(32), engines);
  const time = new ProcessorTime();
  const results: object[] = [];
  const marks: Mark[] = [];
  try {
    await said();
    for (const name of ["dp-pcc", "dp-histboost"] as const) {
      const { parameters, ...method } = methods[name];
      // All records are added up, as Spark's own SQL adds them up: none is held out.
      const raw = { ...common(rows), ...method, parameters: { ...parameters, evaluation: "none" } };
      const document = studyDocument(unwrap(new Methods(soundMethods).parse(raw)));
      const alone = await measured(path, document, null);
      // Two numbers for each bin: the records of each class, or gradients and hessians.
      const bins = Math.floor((await firstStageOf(document.study)).entries / features / 2);
      const ours = async (): Promise<Measured> => ({
        ...(await stageOf(tables, document, () => time.seconds())),
        peaks: {},
      });
      const theirs = async (): Promise<Measured> => {
        native.stdin.write(`${name} ${bins}\n`);
        return { ...(await said()), integers: "", peaks: {} };
      };
      for (const first of [ours, theirs]) await first();
      const [own, sql] = await inTurn(repeats, [ours, theirs]);
      if (own.integers !== alone.integers) throw new Error(`${name}: Spark gives other integers`);
      const figures = ({ seconds, cpu }: Measured) => ({
        rowsPerSecond: Math.round(rows / seconds),
        cpuPerMillion: Number(((1e6 * cpu) / rows).toFixed(2)),
      });
      results.push({ method: `${name}, a level`, engine: "Spark's SQL", ...figures(sql) });
      results.push({ method: `${name}, a level`, engine: "on Spark", ...figures(own) });
      marks.push(
        atMost(`${name} on Spark: times the seconds of Spark's SQL`, own.seconds / sql.seconds, sparkMost),
        atMost(`${name} on Spark: the same by processor time`, own.cpu / sql.cpu, sparkMost),
      );
    }
    return { results, marks };
  } finally {
    native.kill();
    await engines.close();
  }
}

const ignored = () => undefined;
