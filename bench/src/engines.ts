import { mkdtempSync, rmSync } from "node:fs";
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
import { soundMethods } from "@consilium/methods/registry";
import { osRandom } from "@consilium/runtime/random";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { Engines } from "@consilium/site-agent/engines/engines";
import { nodeProgram } from "@consilium/site-agent/engines/workerProcess";
import { DuckDBInstance } from "@duckdb/node-api";

/** Rows per second of a site's first stage over a Parquet file: in one process, and in worker processes. */
const usage = `Usage: npm run bench -- engines [--rows 10000000] [--workers 1,2] [--json]`;

const features = 14;

/** As it was built: a bench runs from sources. */
const program = nodeProgram(fileURLToPath(new URL("../../site-agent/dist/fold-worker.mjs", import.meta.url)));

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string", default: "10000000" },
      workers: { type: "string", default: "1,2" },
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
    for (const [name, own] of Object.entries(methods)) {
      const document = studyDocument(unwrap(new Methods(soundMethods).parse({ ...common(rows), ...own })));
      const alone = await measured(path, document, null);
      results.push({ method: name, engine: "the agent", rowsPerSecond: Math.round(rows / alone.seconds) });
      let first: number | null = null;
      for (const workers of counts) {
        const { seconds, integers } = await measured(path, document, workers);
        if (integers !== alone.integers) throw new Error(`${name}: ${workers} workers give other integers`);
        first ??= seconds;
        results.push({
          method: name,
          engine: `${workers} workers`,
          rowsPerSecond: Math.round(rows / seconds),
          timesTheAgent: Number((alone.seconds / seconds).toFixed(2)),
          timesTheFirst: Number((first / seconds).toFixed(2)),
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
    `COPY (SELECT ${columns.join(", ")}, CASE WHEN hash(i) % 3 = 0 THEN 'yes' ELSE 'no' END AS ill
      FROM range(${rows}) t(i)) TO '${path}' (FORMAT parquet)`,
  );
  connection.closeSync();
  database.closeSync();
}

const site = "hospital-a" as SiteId;

/** @param workers - null for the agent's own process */
async function measured(path: string, document: StudyDocument, workers: number | null) {
  const engine = workers === null ? {} : { engine: "box" };
  const config = tableConfigSchema.parse({ name: "records", path, unit: "rows", ...engine });
  const engines = new Engines(workers === null ? {} : { box: { kind: "processes", workers } }, {
    cores: 1,
    program,
  });
  const tables = new ConfiguredTables([config], "/", new Uint8Array(32), engines);
  const { study } = document;
  const stage: StageId = planStudy(study).stages[0]!.id;
  const broadcasts = new Map();
  const { proposal } = await siteSideOf(study);
  const told = proposal!(stage, { study, site, broadcasts });
  const kernels = await openKernels();
  try {
    const from = performance.now();
    const table = stageTable(study, { blocks: tables.read(study, ignored), kernels, random: osRandom });
    const parts = await tables.parts({
      ...{ document, stage, site, broadcasts, entries: lengthOf(told.query), approval: null, found: ignored },
      signal: new AbortController().signal,
    });
    const { exact } = await answerOf(told, parts === null ? table : { ...table, parts });
    const integers = sha256(new Uint8Array(exact.buffer, exact.byteOffset, exact.byteLength));
    return { seconds: (performance.now() - from) / 1000, integers };
  } finally {
    await kernels.close();
    await engines.close();
  }
}

const ignored = () => undefined;
