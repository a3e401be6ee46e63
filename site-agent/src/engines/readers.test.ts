import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { planStudy } from "@consilium/core/study/plan";
import { inGate } from "@consilium/core/testing/wholeRun";
import { softwareVersion } from "@consilium/core/version";
import { english } from "@consilium/runtime/http/spoken";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { documentOf, exactOf, sha256Of } from "../../testing/engines/stages.js";
import { bundledPrograms, killing } from "../../testing/engines/workers.js";
import { openSource } from "../data/openSource.js";
import { processSecret } from "../data/rowHash.js";
import { tableConfigSchema } from "../data/tableConfig.js";
import { ConfiguredTables } from "../data/tables.js";
import { Engines } from "./engines.js";
import { byRows, divisionOf } from "./pieces.js";
import { encodeReaderLine, type ReaderJob } from "./reader/protocol.js";
import { nodeProgram, type WorkerProgram } from "./workerProcess.js";

const folder = temporaryFolder();
const secretName = "Marguerite-Nightingale";
const rows = 9000;

/** Patients' rows lie far apart: of every patient some are in each half of a table, and of some files. */
const select = `SELECT '${secretName}-' || (i * 7919 % 2500) AS who, CASE WHEN i % 41 = 0 THEN NULL ELSE (i * 37 % 101) / 100 END AS x,
  CASE WHEN i % 53 = 0 THEN '${secretName}' ELSE ((i * 17 % 89) / 88)::VARCHAR END AS y,
  CASE WHEN i % 3 = 0 THEN 'u' WHEN i % 7 > 0 THEN 'v' END AS c, CASE WHEN i * 7 % 11 < 5 THEN 'yes' ELSE 'no' END AS ill,
  i * 7919 % 1000 AS day, DATE '2014-06-01' + (i * 31 % 900)::INTEGER AS came FROM range(${rows}) t(i)`;

const kinds = ["one-group.parquet", "groups.parquet", "parquet", "csv", "jsonl"] as const;
let worker = "";
let reader: WorkerProgram;

beforeAll(async () => {
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  await connection.run(`CREATE TABLE visits AS ${select}`);
  const copy = (from: string, to: string, options: string) =>
    connection.run(`COPY (${from}) TO '${join(folder, to)}' (${options})`);
  await copy("FROM visits", "one-group.parquet", "FORMAT parquet");
  await copy("FROM visits", "groups.parquet", "FORMAT parquet, ROW_GROUP_SIZE 2048");
  for (const kind of ["parquet", "csv", "jsonl"]) {
    mkdirSync(join(folder, kind));
    for (const [k, limit] of [100, 3000, 900, 5000].entries()) {
      const from = `FROM visits LIMIT ${limit} OFFSET ${[0, 100, 3100, 4000][k]}`;
      await copy(from, `${kind}/${k}.${kind}`, `FORMAT ${kind === "jsonl" ? "json" : kind}`);
    }
  }
  writeFileSync(join(folder, "jsonl/4.jsonl"), "");
  connection.closeSync();
  database.closeSync();
  ({ worker, reader } = await bundledPrograms());
  // Files that changed a moment ago are read by one process.
  await sleep(2100);
});

const configOf = (path: string, more: object = {}) =>
  tableConfigSchema.parse({
    name: "visits",
    path: join(folder, path),
    unit: "rows",
    ...(path.includes("csv") && { csv: { header: true } }),
    ...more,
  });

interface Shared {
  readonly workers: number;
  readonly program?: WorkerProgram;
  readonly reader?: WorkerProgram;
  readonly silenceMs?: number;
}

function tablesOf(config: ReturnType<typeof configOf>, shared: Shared | null): ConfiguredTables {
  if (shared === null) return new ConfiguredTables([config], folder, processSecret);
  const engines = new Engines(
    { box: { kind: "processes", workers: shared.workers } },
    { program: nodeProgram(worker), reader, ...shared },
  );
  return new ConfiguredTables([{ ...config, engine: "box" }], folder, processSecret, engines);
}

const patientUnit = { unit: { patient: { column: "who", maxRows: 2, orderBy: "day" } } };
const study = (more: object = {}) =>
  documentOf({
    name: "readers",
    table: "visits",
    analysis: "correlation-tree",
    method: "dp-pcc",
    parameters: { depth: 2 },
    features: [
      { name: "x", type: "numeric", min: 0, max: 1, missing: { constant: 0.5 } },
      { name: "y", type: "numeric", min: 0, max: 1 },
      { name: "c", type: "categorical", levels: ["u", "v"], missing: "own-level" },
    ],
    label: { name: "ill", levels: ["no", "yes"] },
    privacy: { epsilon: 4, delta: 1e-6 },
    participation: { sites: ["a", "b", "c", "d"], minimumSites: 3, maxRowsPerSite: 10_000 },
    ...more,
  });
const firstStage = (document = study()) => ({
  document,
  stage: planStudy(document.study).stages[0]!.id,
  broadcasts: new Map(),
});
const ofPatients = () => firstStage(study({ patient: { column: "who", maxRows: 2 } }));

/** A cohort, levels of intervals and of other levels, days of dates; a column is read as a number and as a level. */
const recoded = (more: object = {}) =>
  firstStage(
    study({
      features: [
        { name: "x", type: "numeric", min: 0, max: 1, missing: { constant: 0.5 } },
        {
          name: "waited",
          type: "numeric",
          from: "came",
          as: { "days-since": "2014-06-01" },
          min: 0,
          max: 800,
        },
        {
          name: "third",
          type: "categorical",
          from: "day",
          map: [
            { below: 300, level: "first" },
            { below: 700, level: "second" },
          ],
          levels: ["second", "first"],
          undeclared: "other",
        },
        {
          name: "half",
          type: "categorical",
          from: "x",
          map: { 0.5: "half", 0.25: "less" },
          levels: ["less", "half"],
          missing: "own-level",
          undeclared: "other",
        },
      ],
      label: { name: "healthy", from: "ill", map: { yes: "no", no: "yes" }, levels: ["no", "yes"] },
      columns: [
        { name: "came", type: "date" },
        { name: "c", type: "categorical", levels: ["u"] },
      ],
      where: 'came >= 2014-08-01 and (c = "u" or x < 0.8) and not (healthy = "yes" and third = "first")',
      ...more,
    }),
  );

/** Counts what is started, and kills none. */
const counted = () => killing(reader, () => null);

describe("a table that readers share", () => {
  const ways = [
    [4, firstStage(), {}],
    [2, ofPatients(), patientUnit],
    [3, recoded({ patient: { column: "who", maxRows: 2 } }), patientUnit],
  ] as const;
  /** Of the gate: each kind in one way, and each way of at least one. */
  const gate = { "one-group.parquet": 0, "groups.parquet": 1, parquet: 2, csv: 2, jsonl: 1 };

  it.each(kinds)("has the integers of one process, by rows and by patients: %s", async (path) => {
    for (const [workers, asked, unit] of inGate([ways[gate[path]]!], { whole: [...ways] })) {
      const config = configOf(path, unit);
      const whole = await exactOf(tablesOf(config, null), asked);
      expect(whole.records).toBeGreaterThan(1000);
      const started = counted();
      const parts = await exactOf(tablesOf(config, { workers, reader: started }), asked);
      expect(started.started).toBe(workers);
      expect(sha256Of(parts.exact)).toBe(sha256Of(whole.exact));
      expect(parts.found).toEqual(whole.found);
    }
  });

  it("has them where a worker or a reader is killed, whose share is computed again", async () => {
    for (const [asked, unit] of [
      [firstStage(), {}],
      [ofPatients(), patientUnit],
    ] as const) {
      const config = configOf("groups.parquet", unit);
      const whole = await exactOf(tablesOf(config, null), asked);
      for (const [killed, name] of [
        [reader, "reader"],
        [nodeProgram(worker), "program"],
      ] as const) {
        const program = killing(killed, (started) => (started === 1 ? 30 : null));
        const parts = await exactOf(tablesOf(config, { workers: 2, [name]: program }), asked);
        expect(program.started).toBeGreaterThan(2);
        expect(sha256Of(parts.exact)).toBe(sha256Of(whole.exact));
        expect(parts.found).toEqual(whole.found);
      }
    }
  });

  it("is the one that was approved, or no result", async () => {
    const config = configOf("parquet", {});
    const document = study({
      privacy: "none",
      features: ["x", "day"].map((name) => ({
        name,
        type: "numeric",
        min: 0,
        max: 1,
        missing: { constant: 0 },
      })),
    });
    const approval = await tablesOf(config, null).preflight(document.study, {
      minimumRows: 0,
      refuseConstant: false,
    });
    const asked = { ...firstStage(document), approval };
    const whole = await exactOf(tablesOf(config, null), asked);
    const shared = tablesOf(config, { workers: 2 });
    expect(sha256Of((await exactOf(shared, asked)).exact)).toBe(sha256Of(whole.exact));
    await expect(
      exactOf(shared, { ...asked, approval: { ...approval, rows: approval.rows + 1 } }),
    ).rejects.toMatchObject({ code: "TABLE_CHANGED" });
  });
});

describe("what ends a reading", () => {
  const refusalOf = async (path: string, shared: Shared, asked = firstStage()) => {
    const thrown: unknown = await exactOf(tablesOf(configOf(path), shared), asked).then(
      () => null,
      (error: unknown) => error,
    );
    const { code, message } = thrown as { code: string; message: string };
    expect(message).not.toContain(secretName);
    return `${code} ${english(message)}`;
  };

  it("is a file that is replaced while it is read", async () => {
    const path = join(folder, "replaced.parquet");
    copyFileSync(join(folder, "groups.parquet"), path);
    copyFileSync(path, `${path}.new`);
    await sleep(2100);
    const replacing = {
      ...reader,
      onStart: () => {
        copyFileSync(join(folder, "groups.parquet"), `${path}.new`);
        renameSync(`${path}.new`, path);
      },
    };
    expect(await refusalOf("replaced.parquet", { workers: 2, reader: replacing })).toMatch(
      /^TABLE_CHANGED table "visits": a file was replaced while it was read/,
    );
    await sleep(2100);
    expect(
      (await exactOf(tablesOf(configOf("replaced.parquet"), { workers: 2 }), firstStage())).records,
    ).toBeGreaterThan(1000);
  });

  it("is a file that cannot be read, with the code that one process gives", async () => {
    const path = join(folder, "broken.csv");
    mkdirSync(path);
    writeFileSync(join(path, "a.csv"), `who,x,y,c,ill,day\n${secretName},1,1,u,no,1\n`);
    writeFileSync(join(path, "b.csv"), `who,x,c,ill,day\n${secretName},1,u,no,1\n`);
    await sleep(2100);
    expect(await refusalOf("broken.csv", { workers: 2 })).toMatch(
      /^COLUMN_MISSING table "visits", file "b.csv"/,
    );
  });

  it.each(["reader", "program"])("is a silent %s, twice", async (name) => {
    const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const shared = { workers: 2, silenceMs: 1500, [name]: silent };
    expect(await refusalOf("groups.parquet", shared)).toMatch(
      /^ENGINE_FAILED .*nothing moved for 1.5 seconds/,
    );
  });

  it("is a decimal that no float64 is: it is counted, and its value is in no message", async () => {
    const path = join(folder, "wide.csv");
    mkdirSync(path);
    for (const name of ["a", "b"])
      writeFileSync(
        join(path, `${name}.csv`),
        `who,x,y,c,ill,day\n${"1,1e999,0.5,u,no,1\n1,0.5,0.5,u,no,1\n".repeat(50)}`,
      );
    await sleep(2100);
    const config = configOf("wide.csv");
    const whole = await exactOf(tablesOf(config, null), firstStage());
    const parts = await exactOf(tablesOf(config, { workers: 2 }), firstStage());
    expect(whole.found?.faults).toBe(100);
    expect(parts.found).toEqual(whole.found);
  });
});

it("a reader that is blocked in a pass ends when the agent's end of its input is closed", async () => {
  const config = configOf("groups.parquet");
  const ended = new Promise<number | null>((resolve) => {
    const sink = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const child = spawn(reader.command, reader.args, {
      env: {},
      stdio: ["pipe", "pipe", "ignore", sink.stdin],
    });
    const { features, label } = study().study;
    const job: ReaderJob = {
      software: softwareVersion,
      own: 0,
      count: 1,
      table: config,
      format: "parquet",
      patients: null,
      database: null,
      pieces: Array.from({ length: 50 }, () => ({ file: config.path! })),
      study: { features, label },
      anyRows: true,
      feeds: true,
    };
    child.stdin!.write(encodeReaderLine(job));
    child.stdin!.write(encodeReaderLine({ open: [0] }));
    setTimeout(() => {
      expect(child.exitCode).toBe(null);
      child.stdin!.destroy();
    }, 4000);
    child.on("exit", (code) => {
      sink.kill();
      resolve(code);
    });
  });
  expect(await ended).toBe(0);
});

it("divides every row once", async () => {
  const files = ["a", "b", "c"];
  for (const counts of [
    [10, 0, 5],
    [1, 1, 1],
    [0, 0, 0],
    [100, 3, 1],
  ])
    for (const readers of [1, 2, 3, 8]) {
      const seen = files.map((_, f) => new Array<number>(counts[f]!).fill(0));
      const ends = files.map(() => 0);
      const divided = byRows(files, counts, readers);
      expect(divided.length).toBeGreaterThan(0);
      for (const { file, range } of divided.flat()) {
        const f = files.indexOf(file);
        for (let row = range!.from; row < (range!.to ?? counts[f]!); row++) seen[f]![row]!++;
        if (range!.to === null) ends[f]!++;
      }
      expect(seen.flat().every((times) => times === 1)).toBe(true);
      expect(ends).toEqual([1, 1, 1]);
    }
  const one = await divisionOf(await openSource(configOf("csv/1.csv")), 4);
  expect(one).toBe(null);
});

it("a reader may read the files of its share and its own program, and no other file", () => {
  const files = [join(folder, "csv/0.csv"), join(folder, "csv/1.csv")];
  const args = reader.argsFor!(files).slice(0, -1);
  const open = (path: string) => {
    const script = `try { fs.readFileSync(${JSON.stringify(path)}); console.log("read"); } catch ({ code }) { console.log(code); }`;
    return spawnSync(process.execPath, [...args, "-e", script], { encoding: "utf8" }).stdout.trim();
  };
  expect([...files, join(folder, "csv/2.csv"), "/etc/passwd"].map(open)).toEqual([
    "read",
    "read",
    "ERR_ACCESS_DENIED",
    "ERR_ACCESS_DENIED",
  ]);
});
