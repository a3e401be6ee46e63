import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { planStudy } from "@consilium/core/study/plan";
import { inGate } from "@consilium/core/testing/wholeRun";
import { english } from "@consilium/runtime/http/spoken";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { omopInPostgres } from "../../testing/data/omopInPostgres.js";
import { fullPlan, omopStudy } from "../../testing/data/omopPlans.js";
import { writeSyntheticCdm } from "../../testing/data/syntheticCdm.js";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { documentOf, exactOf, sha256Of } from "../../testing/engines/stages.js";
import { bundledPrograms, killing } from "../../testing/engines/workers.js";
import { processSecret } from "../data/rowHash.js";
import { tableConfigSchema } from "../data/tableConfig.js";
import { ConfiguredTables } from "../data/tables.js";
import { Engines } from "./engines.js";
import type { ProcessesOptions } from "./processes.js";
import { nodeProgram, type WorkerProgram } from "./workerProcess.js";

const programs = postgresPrograms();
const folder = temporaryFolder();
const secretName = "Marguerite-Nightingale";
const rows = 6000;

/** Patients' rows lie far apart, some are written in several ways, some rows are the same; a column is called as SQL calls a row. */
const visits = `CREATE TABLE visits AS SELECT
  CASE WHEN i * 7919 % 1700 % 5 = 0 THEN (ARRAY['17', '17.0', ' 17.00 '])[1 + i % 3] || (i * 7919 % 1700)::text
    WHEN i % 101 > 0 THEN '${secretName}-' || (i * 7919 % 1700) END AS who,
  CASE WHEN i % 41 = 0 THEN NULL WHEN i % 97 = 0 THEN 12 ELSE (i * 37 % 101) / 100.0 END::float8 AS x,
  CASE WHEN i % 53 = 0 THEN '${secretName}' ELSE ((i * 17 % 89) / 88.0)::text END AS y,
  CASE WHEN i % 3 = 0 THEN 'u' WHEN i % 7 > 0 THEN 'v' END AS q,
  CASE WHEN i * 7 % 11 < 5 THEN 'yes' ELSE 'no' END AS ill, i * 7919 % 1000 AS day
  FROM (SELECT CASE WHEN i > ${rows - 500} THEN 4711 ELSE i END AS i FROM generate_series(1, ${rows}) i) numbers`;

const document = (more: object = {}) =>
  documentOf({
    name: "shares",
    table: "visits",
    analysis: "correlation-tree",
    method: "dp-pcc",
    parameters: { depth: 2 },
    features: [
      { name: "x", type: "numeric", min: 0, max: 1, missing: { constant: 0.5 } },
      { name: "y", type: "numeric", min: 0, max: 1 },
      { name: "q", type: "categorical", levels: ["u", "v"], missing: "own-level" },
    ],
    label: { name: "ill", levels: ["no", "yes"] },
    privacy: { epsilon: 4, delta: 1e-6 },
    participation: { sites: ["a", "b", "c", "d"], minimumSites: 3, maxRowsPerSite: 10_000 },
    ...more,
  });
const firstStage = (of = document()) => ({
  document: of,
  stage: planStudy(of.study).stages[0]!.id,
  broadcasts: new Map(),
});
const byRows = firstStage();
const byPatients = firstStage(document({ patient: { column: "who", maxRows: 2 } }));
const patientUnit = { unit: { patient: { column: "who", maxRows: 2, orderBy: "day" } } };
const hashedUnit = { unit: { patient: { column: "who", maxRows: 2 } } };
const plain = document({
  privacy: "none",
  features: ["x", "day"].map((name) => ({ name, type: "numeric", min: 0, max: 1, missing: { constant: 0 } })),
});

describe.skipIf(programs === null)("a query in PostgreSQL that readers share", () => {
  let server: TestPostgres;
  let worker = "";
  let reader: WorkerProgram;
  const engines: Engines[] = [];
  beforeAll(async () => {
    const files = {
      "pg_hba.conf": "host all doctor 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
    };
    [{ worker, databaseReader: reader }, server] = await Promise.all([
      bundledPrograms(),
      TestPostgres.start(programs!, { files }),
    ]);
    server.psql(visits);
  });
  afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.close())));
  afterAll(() => server?.remove());

  type Shared = Partial<ProcessesOptions> & { readonly workers: number };
  interface Table {
    readonly query?: string;
    readonly url?: string;
    readonly postgres?: object;
    readonly [key: string]: unknown;
  }

  function tablesOf(
    { query = "SELECT * FROM visits", url, postgres, ...more }: Table,
    shared: Shared | null,
  ) {
    const config = tableConfigSchema.parse({
      name: "visits",
      unit: "rows",
      ...(more.omop === undefined && { postgres: { url: url ?? server.url(), query, ...postgres } }),
      ...more,
    });
    if (shared === null) return new ConfiguredTables([config], folder, processSecret);
    const engine = new Engines(
      { box: { kind: "processes", workers: shared.workers } },
      { program: nodeProgram(worker), databaseReader: reader, ...shared },
    );
    engines.push(engine);
    return new ConfiguredTables([{ ...config, engine: "box" }], folder, processSecret, engine);
  }

  async function expectSame(table: Table, asked: Parameters<typeof exactOf>[1], shared: Shared) {
    const whole = await exactOf(tablesOf(table, null), asked);
    expect(whole.records).toBeGreaterThan(50);
    const parts = await exactOf(tablesOf(table, shared), asked);
    expect(sha256Of(parts.exact)).toBe(sha256Of(whole.exact));
    expect(parts.found).toEqual(whole.found);
  }

  async function refusalOf(table: Table, shared: Shared, asked: Parameters<typeof exactOf>[1] = byRows) {
    const thrown: unknown = await exactOf(tablesOf(table, shared), asked).then(
      () => null,
      (error: unknown) => error,
    );
    const { code, message, remedy } = thrown as { code: string; message: string; remedy: string };
    expect(`${message} ${remedy}`).not.toContain(secretName);
    return `${code} ${english(message)}`;
  }

  it.each([
    ["by rows", {}, byRows],
    ["by rows, divided by a key", { postgres: { orderBy: ["who", "day"] } }, byRows],
    ["by patients in an order", patientUnit, byPatients],
    ["by patients", hashedUnit, byPatients],
    [
      "of a query with a remark, a common table expression and columns of one name",
      { query: "WITH v AS (SELECT * FROM visits) SELECT v.*, 1 AS other, 2 AS other FROM v -- all\n ;" },
      byRows,
    ],
  ])("has the integers of one process: %s", async (_, table, asked) => {
    const started = killing(reader, () => null);
    await expectSame(table, asked, { workers: 3, databaseReader: started });
    expect(started.started).toBe(3);
  });

  it("has them of an OMOP plan, a person's row in one share", async () => {
    const cdm = join(folder, "cdm");
    await writeSyntheticCdm(cdm, { persons: 400, seed: 11 });
    omopInPostgres(server, "cdm", cdm);
    const asked = firstStage(documentOf(omopStudy(fullPlan())));
    const table = {
      name: asked.document.study.table,
      unit: undefined,
      omop: { postgres: { url: server.url() }, schema: "cdm" },
    };
    const started = killing(reader, () => null);
    await expectSame(table, asked, { workers: 2, databaseReader: started });
    expect(started.started).toBe(2);
  });

  it("is the one that was approved, or no result", async () => {
    const rules = { minimumRows: 0, refuseConstant: false };
    const approval = await tablesOf({}, null).preflight(plain.study, rules);
    const asked = { ...firstStage(plain), approval };
    const whole = await exactOf(tablesOf({}, null), asked);
    const parts = await exactOf(tablesOf({}, { workers: 2 }), asked);
    expect(sha256Of(parts.exact)).toBe(sha256Of(whole.exact));
    const more = { ...asked, approval: { ...approval, rows: approval.rows + 1 } };
    expect(await refusalOf({}, { workers: 2 }, more)).toContain("TABLE_CHANGED");
    const other = { query: "SELECT who, x + 1e-9 AS x, y, q, ill, day FROM visits" };
    expect(await refusalOf(other, { workers: 2 }, asked)).toMatch(/^TABLE_CHANGED .*values have changed/);
  });

  it("is of one state of the database, whatever is written meanwhile", async () => {
    server.psql("CREATE TABLE written AS SELECT * FROM visits");
    const table = { query: "SELECT * FROM written", ...patientUnit };
    const whole = await exactOf(tablesOf(table, null), byPatients);
    let started = 0;
    const writing: WorkerProgram = {
      ...reader,
      onStart: () => {
        started++;
        server.psql("DELETE FROM written WHERE day % 3 = 0; UPDATE written SET x = 0");
      },
    };
    const parts = await exactOf(tablesOf(table, { workers: 2, databaseReader: writing }), byPatients);
    expect(started).toBe(2);
    expect(sha256Of(parts.exact)).toBe(sha256Of(whole.exact));
    const after = await exactOf(tablesOf(table, null), byPatients);
    expect(sha256Of(after.exact)).not.toBe(sha256Of(whole.exact));
  });

  const killedWays = [
    ["worker", byRows, {}],
    ["reader", byPatients, patientUnit],
    ["worker", byPatients, patientUnit],
    ["reader", byRows, {}],
  ] as const;
  it.each(inGate(killedWays.slice(0, 2), { whole: [...killedWays] }))(
    "has them where a %s is killed",
    async (what, asked, unit) => {
      const killed = killing(what === "reader" ? reader : nodeProgram(worker), (started) =>
        started === 1 ? 40 : null,
      );
      const program = what === "reader" ? { databaseReader: killed } : { program: killed };
      await expectSame(unit, asked, { workers: 2, ...program });
      expect(killed.started).toBeGreaterThan(2);
    },
  );

  it("has them where the server is restarted midway, of a state after it", async () => {
    let started = 0;
    let restarted: Promise<void> | null = null;
    const restarting: WorkerProgram = {
      ...reader,
      onStart: () => {
        if (started++ === 1) restarted = server.down("SIGQUIT").then(() => server.up());
      },
    };
    await expectSame(patientUnit, byPatients, { workers: 2, databaseReader: restarting });
    await restarted;
    expect(started).toBe(4);
  });

  it("has a code where the server does not return", async () => {
    const ending: WorkerProgram = { ...reader, onStart: () => void server.down("SIGQUIT") };
    try {
      expect(await refusalOf({}, { workers: 2, databaseReader: ending, returnMs: 1500 })).toMatch(
        /^DATABASE_LOST table "visits": the connection to the database was lost/,
      );
    } finally {
      await server.up();
    }
    await expectSame({}, byRows, { workers: 2 });
  });

  it("is refused where its query has other rows each time", async () => {
    const drawn = { query: "SELECT * FROM visits WHERE random() < 0.9" };
    expect(await refusalOf(drawn, { workers: 2 })).toMatch(
      /^ENGINE_UNSUITABLE table "visits": its query returned other rows/,
    );
    const shifted = { query: "SELECT *, random() AS luck FROM visits" };
    expect(await refusalOf(shifted, { workers: 2 })).toContain("ENGINE_UNSUITABLE");
    // Divided by what is the same each time, it can be read.
    await expectSame({ ...shifted, ...patientUnit }, byPatients, { workers: 2 });
  });

  it("has the codes of one process for what is wrong with it, and serves the next study", async () => {
    const shared = { workers: 2 };
    const failing = { query: `SELECT who, y::float8 AS x, y, q, ill, day FROM visits` };
    expect(await refusalOf(failing, shared)).toMatch(/^TABLE_UNREADABLE table "visits": .*\(22P02\)/);
    expect(await refusalOf({ query: "SELECT x, y, ill FROM visits" }, shared)).toMatch(
      /^COLUMN_MISSING .*"q"/,
    );
    const nested = { query: "SELECT who, ARRAY[x] AS x, y, q, ill, day FROM visits" };
    expect(await refusalOf(nested, shared)).toMatch(/^COLUMN_TYPE .*column "x".*nested/);
    expect(await refusalOf({ query: "SELECT * FROM nowhere" }, shared)).toContain("(42P01)");
    const none = await exactOf(tablesOf({ query: "SELECT * FROM visits WHERE false" }, shared), byRows);
    expect(none).toMatchObject({ records: 0, found: { rows: 0 } });
    await expectSame({}, byRows, shared);
  });

  it("is read with the password of its file, over as many connections as the database gives", async () => {
    server.psql(
      "CREATE ROLE doctor LOGIN PASSWORD 'between us' CONNECTION LIMIT 1; GRANT SELECT ON visits TO doctor",
    );
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, "between us\n");
    const url = server.url().replace("consilium@", "doctor@");
    const table = { url, postgres: { passwordFile } };
    const refusal = await refusalOf(table, { workers: 3 });
    expect(refusal).toMatch(/^TABLE_AWAY .*no more connections.*\(53300\)/);
    server.psql("ALTER ROLE doctor CONNECTION LIMIT 5");
    await expectSame(table, byRows, { workers: 2 });
    writeFileSync(passwordFile, "wrong\n");
    expect(await refusalOf(table, { workers: 2 })).toMatch(/^TABLE_AWAY .*\(28P01\)/);
  });

  it("ends its connections", async () => {
    await expectSame({}, byRows, { workers: 2 });
    await expect
      .poll(() =>
        server.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'consilium site'"),
      )
      .toBe("0");
  });
});
