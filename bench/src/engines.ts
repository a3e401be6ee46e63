import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { SiteId, StageId } from "@consilium/core/ids";
import { stageTable } from "@consilium/core/learning/stageTable";
import { siteSideOf } from "@consilium/core/method/method";
import { Methods } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { lengthOf } from "@consilium/gate/query";
import { answerOf } from "@consilium/gate/release";
import { openKernels } from "@consilium/kernels/open";
import { soundMethods } from "@consilium/methods/all";
import { osRandom } from "@consilium/runtime/random";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { Engines } from "@consilium/site-agent/engines/engines";
import { nodeProgram, readerProgram, type WorkerProgram } from "@consilium/site-agent/engines/workerProcess";
import { DuckDBInstance } from "@duckdb/node-api";

/**
 * A site's first stage over a Parquet file, in the agent's own process and in pairs of a reader and a fold worker: rows per second,
 * processor time and memory. Beside them DuckDB's own sums of all products, by SQL and with a thread for each core. On a machine that
 * others use too, processor time says more than rows per second: what n cores can do at best is n over it.
 */
const usage = `Usage: npm run bench -- engines [--rows 10000000] [--workers 1,2] [--patients] [--json]`;

const features = 14;

/** As it was built: a bench runs from sources. */
const built = (name: string) => fileURLToPath(new URL(`../../site-agent/dist/${name}.mjs`, import.meta.url));

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string", default: "10000000" },
      workers: { type: "string", default: "1,2" },
      patients: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const rows = Number(values.rows);
  const counts = values.workers.split(",").map(Number);
  if (![rows, ...counts].every((count) => Number.isSafeInteger(count) && count >= 1)) throw new Error(usage);
  const folder = mkdtempSync(join(tmpdir(), "consilium-engines-"));
  try {
    const path = join(folder, "table.parquet");
    await writeParquet(path, rows);
    const results: object[] = [];
    const figures = ({ seconds, cpu, peaks }: Measured) => ({
      rowsPerSecond: Math.round(rows / seconds),
      cpuPerMillion: Number(((1e6 * cpu) / rows).toFixed(2)),
      ...peaks,
    });
    if (!values.patients) {
      const aggregates = await duckdbSums(path);
      results.push({ method: "sums of products", engine: "DuckDB's SQL", ...figures(aggregates) });
    }
    for (const [name, own] of Object.entries(methods)) {
      const bound = values.patients ? { patient: { column: "who", maxRows: 2 } } : {};
      const document = studyDocument(
        unwrap(new Methods(soundMethods).parse({ ...common(rows), ...own, ...bound })),
      );
      const alone = await measured(path, document, null);
      results.push({ method: name, engine: "the agent", ...figures(alone) });
      let first: Measured | null = null;
      for (const workers of counts) {
        const shared = await measured(path, document, workers);
        if (shared.integers !== alone.integers)
          throw new Error(`${name}: ${workers} workers give other integers`);
        first ??= shared;
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
    if (values.json) console.log(JSON.stringify({ rows, results }));
    else console.table(results);
  } finally {
    rmSync(folder, { recursive: true });
  }
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
  const engine = workers === null ? {} : { engine: "box" };
  const { patient } = document.study;
  const unit = patient === undefined ? "rows" : { patient };
  const config = tableConfigSchema.parse({ name: "records", path, unit, ...engine });
  const peaks = new Peaks();
  const engines = new Engines(workers === null ? {} : { box: { kind: "processes", workers } }, {
    cores: 1,
    program: peaks.of("workerMiB", nodeProgram(built("fold-worker"))),
    reader: peaks.of("readerMiB", readerProgram(built("reader"))),
  });
  const tables = new ConfiguredTables([config], "/", new Uint8Array(32), engines);
  const { study } = document;
  const stage: StageId = planStudy(study).stages[0]!.id;
  const broadcasts = new Map();
  const { proposal } = await siteSideOf(study);
  const told = proposal!(stage, { study, site, broadcasts });
  const kernels = await openKernels();
  try {
    const [from, cpu] = [performance.now(), cpuSeconds()];
    const table = stageTable(study, { blocks: tables.read(study, ignored), kernels, random: osRandom });
    const parts = await tables.parts({
      ...{ document, stage, site, broadcasts, entries: lengthOf(told.query), approval: null, found: ignored },
      signal: new AbortController().signal,
    });
    const { exact } = await answerOf(told, parts === null ? table : { ...table, parts });
    const integers = sha256(new Uint8Array(exact.buffer, exact.byteOffset, exact.byteLength));
    const seconds = (performance.now() - from) / 1000;
    return { seconds, cpu: cpuSeconds() - cpu, integers, peaks: peaks.mib };
  } finally {
    peaks.end();
    await kernels.close();
    await engines.close();
  }
}

const ignored = () => undefined;
