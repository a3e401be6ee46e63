/** What the process that reads a hospital's tables has of the machine: variables, files, programs; and that every kind of table is read with that. */
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteId } from "@consilium/core/ids";
import { siteSideOf } from "@consilium/core/method/method";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { planStudy } from "@consilium/core/study/plan";
import { isWholeRun } from "@consilium/core/testing/wholeRun";
import { lengthOf } from "@consilium/gate/query";
import { parseConfig } from "@consilium/runtime/config";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { siteConfigSchema } from "@consilium/site-agent/config";
import { resolveTableConfig } from "@consilium/site-agent/data/tableConfig";
import { TableSources } from "@consilium/site-agent/data/tableSources";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { startTables } from "@consilium/site-agent/tables/startProcess";
import { TableProcess } from "@consilium/site-agent/tables/tableProcess";
import { writeSyntheticCdm } from "@consilium/site-agent/testing/data/syntheticCdm";
import { writeTable } from "@consilium/site-agent/testing/data/writeTable";
import { documentOf } from "@consilium/site-agent/testing/engines/stages";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { hasSpark, quickSpark } from "../support/spark.js";

const program = fileURLToPath(new URL("../../site-agent/dist/tables/main.js", import.meta.url));
const secret = new Uint8Array(32).fill(7);
const sourceKey = new Uint8Array(32).fill(9);
const programs = postgresPrograms();

let home: string;
/** The agent's state folder. */
let folder: string;
let data: string;
let configPath: string;
let server: TestPostgres | null = null;
const open: TableProcess[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-poor-"));
  folder = join(home, "state");
  data = join(home, "real, data");
  configPath = join(folder, "config.yaml");
  await mkdir(join(folder, "identity"), { recursive: true });
  await mkdir(data);
  await writeFile(join(folder, "state-key"), "key");
  await writeFile(join(folder, "identity", "key.pem"), "key");
  await symlink(data, join(home, "link"));
  if (programs !== null) server = await TestPostgres.start(programs);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(open.splice(0).map((one) => one.close()));
});
afterAll(async () => {
  await server?.remove();
  await rm(home, { recursive: true, force: true });
});

async function start(tables: object, more: { readonly engines?: object; readonly probe?: string } = {}) {
  const { engines = {}, probe } = more;
  const execArgv = probe === undefined ? [] : ["--import", probe];
  const configText = JSON.stringify({ aggregator: "localhost:1", tables, engines });
  await writeFile(configPath, configText);
  const pids: number[] = [];
  const opening = { configPath, configText, secret, sourceKey };
  const log = { warn: () => undefined, error: () => undefined };
  const process = await TableProcess.start({
    opening,
    log,
    start: (needs) => {
      const started = startTables(needs, { path: program, execArgv });
      if (needs !== null) pids.push(started.pid!);
      return started;
    },
  });
  open.push(process);
  const { tables: configs } = parseConfig(configText, configPath, siteConfigSchema);
  return { process, configs, environment: variablesOf(pids[0]!) };
}

const variablesOf = (pid: number) =>
  readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .filter((one) => one !== "")
    .map((one) => one.split("=", 1)[0]!);

const rows = [
  [31, "A"],
  [57, "B"],
  [64, "B"],
];

/** A table of each kind, with the traps that Node's patterns of paths have. */
async function everyKind(): Promise<Record<string, object>> {
  const table = { names: ["age", "ward"], rows };
  const path = {
    inFolder: dirname(await writeTable("csv", join(data, "visits/2024/a"), table)),
    beside: await writeTable("csv", join(data, "visits2"), table),
    parquet: await writeTable("parquet", join(data, "b"), table),
    jsonl: await writeTable("jsonl", join(data, "c"), table),
    sqlite: await writeTable("sqlite", join(data, "d"), table),
    inState: await writeTable("csv", join(folder, "own"), table),
  };
  const patients = rows.map(
    ([age], id) => `${JSON.stringify({ resourceType: "Patient", id: `${id}`, age })}\n`,
  );
  await mkdir(join(data, "fhir"));
  await writeFile(join(data, "fhir", "Patient.ndjson"), patients.join(""));
  const view = { resource: "Patient", select: [{ column: [{ name: "age", path: "age" }] }] };
  await writeFile(
    join(folder, "view.json"),
    JSON.stringify({ resourceType: "ViewDefinition", status: "active", ...view }),
  );
  const password = join(folder, "password");
  await writeFile(password, "none\n");
  const file = (one: string, more: object = {}) => ({ path: one, unit: "rows", ...more });
  const header = { csv: { header: true } };
  return {
    folder: file(join(data, "visits"), header),
    beside: file(path.beside, header),
    linked: file(join(home, "link", "visits"), header),
    pattern: file(join(data, "visits", "*", "?.csv"), header),
    parquet: file(path.parquet),
    jsonl: file(path.jsonl, { columns: ["age", "ward"] }),
    sqlite: file(path.sqlite),
    own: file("own.csv", header),
    query: {
      duckdb: { files: { f: path.parquet }, query: "SELECT age, ward FROM f" },
      unit: "rows",
    },
    fhir: { fhir: { folder: join(data, "fhir"), views: { p: "view.json" } }, unit: "rows" },
    ...(server !== null && {
      postgres: {
        postgres: {
          url: server.url(),
          passwordFile: password,
          query: "SELECT 31 AS age, 'A' AS ward",
        },
        unit: "rows",
      },
    }),
  };
}

const describing = (table: string) =>
  documentOf({
    name: "described",
    analysis: "describe",
    table,
    features: [{ name: "age", type: "numeric", min: 0, max: 100 }],
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { minimumSites: 3, maxRowsPerSite: 1000 },
    parameters: { bins: 4 },
  });

it("reads every kind of table, as a process that has all would", async () => {
  const tables = await everyKind();
  const { process, configs } = await start(tables);
  const free = new ConfiguredTables(configs, folder, secret);
  expect(await process.describe()).toEqual(await free.describe());
  for (const table of Object.keys(tables)) {
    const { check, ...found } = await process.profile(describing(table).study);
    expect(found).toEqual(await free.profile(describing(table).study));
    expect([check.fault, check.columns.map(({ name }) => name)]).toEqual([null, ["age"]]);
    expect(JSON.stringify(found)).toContain('"rows":');
  }
  const sources = new TableSources(
    configs.map((config) => resolveTableConfig(config, folder)),
    sourceKey,
  );
  await sources.resolve();
  for (const table of Object.keys(tables)) expect(process.source(table)).toEqual(sources.source(table));
});

it.runIf(programs !== null)("reads tables in a database alone, and loads no native code", async () => {
  await writeFile(join(folder, "password"), "none\n");
  const place = { url: server!.url(), passwordFile: "password", query: "SELECT 31 AS age" };
  const { process } = await start({ patients: { postgres: place, unit: "rows" } });
  expect(await process.profile(describing("patients").study)).toMatchObject({ rows: 1 });
});

it("reads an OMOP CDM of files", async () => {
  await mkdir(join(data, "cdm"));
  await writeSyntheticCdm(join(data, "cdm"), { persons: 5, seed: 1 });
  const { process } = await start({ cdm: { omop: { files: join(data, "cdm") } } });
  expect((await process.examine([], await readFile(configPath, "utf8"))).tables).toMatchObject([
    { name: "cdm", fault: null },
  ]);
});

it("starts workers and readers where a table has an engine", async () => {
  for (const name of ["a", "b"])
    await writeTable("csv", join(data, "parts", name), { names: ["age", "ward"], rows });
  const entry = { path: join(data, "parts"), csv: { header: true }, unit: "rows", engine: "box" };
  const { process } = await start({ parts: entry }, { engines: { box: { kind: "processes", workers: 2 } } });
  const document = describing("parts");
  const stage = planStudy(document.study).stages[0]!.id;
  const site = "hospital-a" as SiteId;
  const broadcasts: Broadcasts = new Map();
  const { proposal } = await siteSideOf(document.study);
  const entries = lengthOf(proposal!(stage, { study: document.study, site, broadcasts }).query);
  const { signal } = new AbortController();
  const found = () => undefined;
  const part = await process.part({
    document,
    stage,
    site,
    broadcasts,
    entries,
    approval: null,
    found,
    signal,
  });
  expect(part!.records).toBe(6);
});

it.runIf(isWholeRun && hasSpark())("reads a table on Spark", async () => {
  const lake = { kind: "spark", master: "local[1]", python: process.env.CONSILIUM_PYTHON, conf: quickSpark };
  const path = await writeTable("csv", join(data, "lake"), { names: ["age"], rows: [[31], [57]] });
  const lakes = { spark: { csv: path }, csv: { header: true }, unit: "rows", engine: "lake" };
  const started = await start({ lakes }, { engines: { lake } });
  expect(await started.process.profile(describing("lakes").study)).toMatchObject({ rows: 2 });
});

it("knows a table that is not there yet by the place where it will be, behind links that it may not look at", async () => {
  const { process, configs } = await start({
    later: { path: join(home, "link", "later.csv"), unit: "rows" },
  });
  const sources = new TableSources(configs, sourceKey);
  await sources.resolve();
  expect(process.source("later")).toEqual(sources.source("later"));
});

const always = ["LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA"];

it("has of the environment what is listed, and the place of a password where a table needs one", async () => {
  const agents = {
    PGPASSWORD: "secret",
    AWS_SECRET_ACCESS_KEY: "secret",
    NODE_OPTIONS: "--no-warnings",
    FOO: "secret",
    CONSILIUM_PROXY: "http://proxy:3128",
    HTTPS_PROXY: "http://somebody:secret@proxy:3128",
    PGPASSFILE: "/nowhere/pgpass",
    TZ: "Europe/Vienna",
  };
  for (const [name, value] of Object.entries(agents)) vi.stubEnv(name, value);
  const file = {
    path: await writeTable("csv", join(data, "e"), { names: ["age"], rows: [[31]] }),
    unit: "rows",
  };
  const { environment } = await start({ file });
  const certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
  expect(environment.filter((name) => ![...always, ...certificates].includes(name))).toEqual([]);
  expect(environment).toContain("TZ");
  const postgres = {
    postgres: { url: "postgres://reader@localhost/clinic", query: "SELECT 1" },
    unit: "rows",
  };
  const other = await start({ postgres });
  expect(other.environment).toContain("PGPASSFILE");
  expect(other.environment).not.toContain("PGPASSWORD");
});

/** Runs in that process before its own code: its first answer with columns is what came of the attempts. */
const attempts = (state: string) => `
  import { readFileSync, readdirSync, writeFileSync } from "node:fs";
  import { readFile } from "node:fs/promises";
  import { spawnSync } from "node:child_process";
  import { syncBuiltinESMExports } from "node:module";
  import v8 from "node:v8";
  import { Worker } from "node:worker_threads";
  const came = async (act) => { try { await act(); return "done"; } catch (fault) { return fault.code; } };
  const spawned = () => { const { error } = spawnSync("/bin/cat", ["/dev/null"]); if (error) throw error; };
  const made = {
    table: await came(() => readFileSync("${state}/own.csv")),
    key: await came(() => readFileSync("${state}/state-key")),
    later: await came(() => readFile("${state}/state-key")),
    dots: await came(() => readFileSync("${state}/own.csv/../state-key")),
    identity: await came(() => readdirSync("${state}/identity")),
    pem: await came(() => readFileSync("${state}/identity/key.pem")),
    passwords: await came(() => readFileSync("/etc/passwd")),
    parent: await came(() => readFileSync("/proc/" + process.ppid + "/environ")),
    write: await came(() => writeFileSync("${state}/own.csv", "")),
    program: await came(spawned),
    thread: await came(() => new Worker("", { eval: true })),
  };
  const { serialize } = v8;
  v8.serialize = (message) => {
    const isDescribed = Array.isArray(message.answer) && "columns" in message.answer[0];
    return serialize(isDescribed ? { ...message, answer: made } : message);
  };
  syncBuiltinESMExports();`;

it("lets code in it read the tables, and neither keys nor other files, and start and write nothing", async () => {
  await writeTable("csv", join(folder, "own"), { names: ["age"], rows: [[31]] });
  const probe = `data:text/javascript,${encodeURIComponent(attempts(folder))}`;
  const entry = { path: "own.csv", csv: { header: true }, unit: "rows", engine: "none" };
  const { process } = await start({ own: entry }, { probe });
  const { table, ...others } = (await process.describe()) as unknown as Record<string, string>;
  expect(table).toBe("done");
  expect(Object.keys(others)).toHaveLength(10);
  for (const [what, came] of Object.entries(others))
    expect([what, came]).toEqual([what, "ERR_ACCESS_DENIED"]);
});

it.each(["*.csv", ".", "../*/own.csv", "/"])(
  "does not start with tables in %s, where the keys are",
  async (path) => {
    const started = start({ own: { path, format: "csv", unit: "rows" } });
    await expect(started).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/^table\.beside-keys \{"folder"/),
    });
  },
);
