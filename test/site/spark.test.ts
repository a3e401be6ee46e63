/**
 * A table on a Spark cluster has the integers of one process over the same file, whatever becomes of its executors; what goes wrong
 * has a code, and no value of a record gets into a message, a log or a file of Spark's.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { planStudy } from "@consilium/core/study/plan";
import { inGate, isWholeRun } from "@consilium/core/testing/wholeRun";
import { english } from "@consilium/runtime/http/spoken";
import { processSecret } from "@consilium/site-agent/data/rowHash";
import { type TableConfig, tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { Engines } from "@consilium/site-agent/engines/engines";
import { applications } from "@consilium/site-agent/engines/spark/applications";
import { probeCluster } from "@consilium/site-agent/engines/spark/probe";
import { forcedSettings, type ResolvedCluster } from "@consilium/site-agent/engines/spark/sparkConfig";
import { duckdb, temporaryFolder } from "@consilium/site-agent/testing/data/writeTable";
import { converse, documentOf, exactOf, sha256Of } from "@consilium/site-agent/testing/engines/stages";
import { perPatient, sharedStudies, visitsStudy } from "@consilium/site-agent/testing/engines/studies";
import { bundledPrograms } from "@consilium/site-agent/testing/engines/workers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { further } from "../support/further.js";
import { requirePython } from "../support/python.js";
import {
  below,
  changedDriver as changedIn,
  filesBelow,
  filesHolding,
  furtherSuite,
  requireSpark,
  smallCluster,
} from "../support/spark.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = temporaryFolder();
/** Spark's own folder: links to its files, and the logs of its executors. */
const home = join(folder, "spark");
const logs = join(home, "work");
const local = join(folder, "local");
const secretName = "Marguerite-Nightingale";
const rows = 2000;
const patients = 700;

let worker = "";
const engines: Engines[] = [];

beforeEach((context) => {
  requireSpark(context);
});
beforeAll(async () => {
  ({ worker } = await bundledPrograms());
  for (const one of [logs, local]) mkdirSync(one, { recursive: true });
  linkSpark();
  writeVisits();
});
const closeAll = () => Promise.all(engines.splice(0).map((engine) => engine.close()));
afterEach(async () => {
  if (isHeld) return;
  vi.restoreAllMocks();
  await closeAll();
});

/** A hospital's own configuration of logs among it. */
function linkSpark(): void {
  const find = "import pyspark; print(pyspark.__path__[0])";
  const { stdout } = spawnSync(process.env.CONSILIUM_PYTHON ?? "python3", ["-c", find], { encoding: "utf8" });
  const installed = stdout.trim();
  if (installed === "") return;
  for (const name of readdirSync(installed))
    if (name !== "work" && name !== "conf") symlinkSync(join(installed, name), join(home, name));
  mkdirSync(join(home, "conf"));
  const lines = [
    "rootLogger.level = info",
    "rootLogger.appenderRef.stdout.ref = console",
    "appender.console.type = Console",
    "appender.console.name = console",
    "appender.console.target = SYSTEM_ERR",
    "appender.console.layout.type = PatternLayout",
    "appender.console.layout.pattern = %p %m%n%ex",
  ];
  writeFileSync(join(home, "conf/log4j2.properties"), lines.join("\n"));
}

/** Patients of one to five rows whose rows lie apart, with gaps, values out of bounds and cells that nothing covers. */
function writeVisits(): void {
  const lines = Array.from({ length: rows }, (_, i) => {
    const patient = i % patients;
    const x = i % 41 === 0 ? "" : i % 97 === 0 ? "12" : String(((i * 37) % 101) / 100);
    const y = i % 53 === 0 ? secretName : String(((i * 17) % 89) / 88);
    const ill = (i * 7) % 11 < 5 !== (i * 37) % 101 > 50 ? "yes" : "no";
    // One patient however it is written.
    const who =
      patient % 5 === 0
        ? [`${patient}`, `${patient}.0`, ` ${patient}.00 `][i % 3]
        : `${secretName}-${patient}`;
    return `${who},${x},${y},${i % 3 === 0 ? "u" : "v"},${ill},${(i * 7919) % 1000}`;
  });
  writeFileSync(join(folder, "visits.csv"), `who,x,y,c,ill,day\n${lines.join("\n")}\n`);
}

/** The same as Parquet, in row groups of few rows, with its numbers as decimals and whole numbers. */
const writeParquet = `
import sys, decimal, pyarrow as pa, pyarrow.csv as csv, pyarrow.parquet as pq, pyarrow.compute as pc
source, target = sys.argv[1:3]
text = pa.schema([(name, pa.string()) for name in ("who", "x", "y", "c", "ill", "day")])
table = csv.read_csv(source, convert_options=csv.ConvertOptions(column_types=text, strings_can_be_null=True))
x = pa.array([None if v in (None, "") else decimal.Decimal(v) for v in table["x"].to_pylist()], pa.decimal128(30, 20))
table = table.set_column(1, "x", x).set_column(5, "day", pc.cast(table["day"], pa.int64()))
pq.write_table(table, target, row_group_size=300)
`;

const patientUnit = { patient: { column: "who", maxRows: 2, orderBy: "day" } };

interface On {
  readonly master?: string;
  readonly conf?: Record<string, string>;
  readonly [key: string]: unknown;
}

const drivers: number[] = [];

function clusterOn({ master = "local[2]", conf = {}, ...more }: On = {}): ResolvedCluster {
  const environment = { ...process.env, SPARK_HOME: home, SPARK_LOCAL_DIRS: local };
  return smallCluster(
    { worker, environment, onStart: (pid) => void drivers.push(pid) },
    { master, conf, ...more },
  );
}

const entry = (more: object): TableConfig =>
  tableConfigSchema.parse({ name: "visits", unit: "rows", ...more });
const csv = { csv: { header: true } };
const visits = join(folder, "visits.csv");

/** The table as the agent reads it. */
const alone = (more: object = {}) =>
  new ConfiguredTables([entry({ path: visits, ...csv, ...more })], folder, processSecret);

function onSpark(cluster: ResolvedCluster, more: object = {}): ConfiguredTables {
  const engine = new Engines({ lake: cluster });
  engines.push(engine);
  const table = { spark: { csv: visits }, engine: "lake", ...csv, ...more };
  if (!("csv" in (table.spark as object))) Reflect.deleteProperty(table, "csv");
  return new ConfiguredTables([{ ...entry(table), cluster }], folder, processSecret, engine);
}

const pcc = (more: object = {}) => documentOf({ ...visitsStudy, ...sharedStudies["dp-pcc"], ...more });
const firstStage = (document = pcc()) => ({
  document,
  stage: planStudy(document.study).stages[0]!.id,
  broadcasts: new Map(),
});

const isGone = (pid: number) => !existsSync(`/proc/${pid}`);

/** Files that Spark wrote and that hold a value of a record. */
const valuesOnDisk = () => filesHolding([logs, local], secretName);

const quickFaults = ["Python is missing", "a module is missing", "Java is missing"];

/** One application for all studies, each of which would have its own: most of the time would go into their starts. */
function inOneApplication(): void {
  const use = applications.use.bind(applications);
  vi.spyOn(applications, "use").mockImplementation((cluster, _, act) => use(cluster, "all of them", act));
}

/** A cluster whose configuration undoes every setting that protects records, and asks for heap dumps. */
const undoing = (): ResolvedCluster => {
  const own = clusterOn();
  const place = join(folder, "conf");
  mkdirSync(place, { recursive: true });
  const undone = Object.entries(forcedSettings).flatMap(([key, value]) =>
    value === "true" || value === "false" ? [`${key} ${value === "true" ? "false" : "true"}`] : [],
  );
  writeFileSync(
    join(place, "spark-defaults.conf"),
    `${undone.join("\n")}\nspark.eventLog.dir file://${logs}\n`,
  );
  return {
    ...own,
    program: { ...own.program!, environment: { ...own.program!.environment, SPARK_CONF_DIR: place } },
  };
};

let isHeld = false;
/** The application of the tests that share one. A file takes the place of another once a stage is planned, and before it is read. */
let held: ResolvedCluster;
const [replaced, replacing] = [join(folder, "lake/1.parquet"), join(folder, "replacing.parquet")];
/** Is there once executors have read files themselves. */
const readThere = join(folder, "read-there");

/** @param stagesMost - the study's further stages are not computed on the cluster */
async function expectSameIntegers(
  own: object,
  { whole, shared }: { readonly whole: ConfiguredTables; readonly shared: ConfiguredTables },
  stagesMost: number,
): Promise<void> {
  const document = documentOf({ ...visitsStudy, ...own });
  const { method } = document.study;
  let isZero = true;
  let stages = 0;
  await converse(document, async (stage, broadcasts) => {
    const one = await exactOf(whole, { document, stage, broadcasts });
    if (++stages > stagesMost) return one.exact;
    const many = await exactOf(shared, { document, stage, broadcasts });
    expect({ method, stage, sha256: sha256Of(many.exact) }).toEqual({
      method,
      stage,
      sha256: sha256Of(one.exact),
    });
    if (one.found !== null) expect(many.found, stage).toEqual(one.found);
    isZero &&= one.exact.every((value) => value === 0n);
    return one.exact;
  });
  expect(isZero, method).toBe(false);
}

const stagesMost = isWholeRun ? Number.POSITIVE_INFINITY : 1;

/** Of each kind of sum one study; in the whole run every method in all of its forms. The gate has each method in worker processes, by the same program. */
const kinds = ["describe", "regression, logistic", "dp-pcc", "felp-a", "dp-pca, one-round"];
const tried = Object.entries(sharedStudies).filter(([name]) => isWholeRun || kinds.includes(name));

/** Where each row is a batch. */
const triedByRow = tried.filter(([name]) => isWholeRun || /^(?:describe|dp-pca)/.test(name));

const speculation = {
  "spark.speculation": "true",
  "spark.speculation.interval": "10ms",
  "spark.speculation.quantile": "0.1",
  "spark.speculation.multiplier": "1.01",
  "spark.speculation.minTaskRuntime": "1ms",
};

const changedDriver = (cluster: ResolvedCluster, ...changes: readonly (readonly [string, string])[]) =>
  changedIn(cluster, folder, ...changes);

async function refusalOf(
  tables: ConfiguredTables,
  asked: Parameters<typeof exactOf>[1] = firstStage(),
): Promise<string> {
  const thrown: unknown = await exactOf(tables, asked).then(
    () => null,
    (error: unknown) => error,
  );
  const { code, message, remedy } = thrown as { code: string; message: string; remedy: string };
  expect(`${message} ${remedy}`).not.toContain(secretName);
  return `${code} ${english(message)}`;
}

const ofPatients = () => firstStage(documentOf({ ...visitsStudy, ...perPatient(sharedStudies["dp-pcc"]!) }));

describe("one application", () => {
  beforeAll(() => {
    isHeld = true;
    inOneApplication();
    held = changedDriver(
      undoing(),
      [
        "merged = partials.",
        `if os.path.exists("${replacing}"):\n            os.replace("${replacing}", "${replaced}")\n        merged = partials.`,
      ],
      ["if files is not None:\n", `if files is not None:\n            open("${readThere}", "w").close()\n`],
    );
  });
  afterAll(async () => {
    isHeld = false;
    vi.restoreAllMocks();
    await closeAll();
  });

  describe("a table on Spark", () => {
    it("has the integers of one process, whatever the cluster's defaults say of what protects records", async () => {
      const unit = { unit: patientUnit };
      const tables = { whole: alone(unit), shared: onSpark(held, unit) };
      for (const [name, own] of tried)
        await expectSameIntegers(
          perPatient(own),
          tables,
          name === "dp-pcc" ? inGate(4, { whole: 9 }) : stagesMost,
        );
      expect(new Set(drivers).size).toBe(1);
    });
  });

  describe("a folder of Parquet files on Spark", () => {
    const rules = { minimumRows: 0, refuseConstant: false };
    const plain = pcc({ privacy: "none" });
    const select = (rest: string) =>
      `SELECT * REPLACE (CASE WHEN TRY_CAST(y AS DOUBLE) IS NULL THEN '0.25' ELSE y END AS y) FROM read_csv('${visits}', header = true, all_varchar = true) ${rest}`;
    const write = (place: string, file: string, rest: string) =>
      duckdb([`COPY (${select(rest)}) TO '${join(place, file)}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`]);

    const place = join(folder, "lake");
    const lake = { spark: { parquet: place } };

    beforeAll(async () => {
      mkdirSync(place);
      // The second half of the rows begins where patients come again.
      await write(place, "0.parquet", "LIMIT 1000");
      await write(place, "1.parquet", "OFFSET 1000");
    });

    it("keeps a patient together who is in two files", async () => {
      const unit = { unit: patientUnit };
      const whole = await exactOf(alone({ path: place, csv: undefined, ...unit }), ofPatients());
      const many = await exactOf(onSpark(held, { ...lake, ...unit, csv: undefined }), ofPatients());
      expect({ sha256: sha256Of(many.exact), found: many.found }).toEqual({
        sha256: sha256Of(whole.exact),
        found: whole.found,
      });
      expect(whole.found!.overBound).toBeGreaterThan(500);
    });

    it("is read by the executors where that gives what Spark reads, and by Spark otherwise", async () => {
      const typed = join(folder, "typed");
      const written = (file: string, change: string, rest = "") => {
        const path = join(typed, file);
        mkdirSync(dirname(path), { recursive: true });
        const source = `(SELECT * REPLACE (IF(day = '7', 'nan', x)::DOUBLE AS x, TRY_CAST(y AS REAL) AS y, day::BIGINT AS day)
          FROM read_csv('${visits}', header = true, all_varchar = true, nullstr = '') ${rest})`;
        return duckdb([
          `COPY (SELECT * ${change} FROM ${source}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
        ]);
      };
      /** Whether executors read a folder's files themselves. It gives what rows that Spark has read give. */
      const areReadThere = async (name: string) => {
        const own = join(typed, name);
        const of = (spark: object) =>
          exactOf(onSpark(held, { spark, nullValues: ["NaN"], csv: undefined }), firstStage());
        rmSync(readThere, { force: true });
        const files = await of({ parquet: own });
        const areRead = existsSync(readThere);
        const rows = await of({ query: `SELECT * FROM parquet.\`${own}\`` });
        expect({ sha256: sha256Of(files.exact), found: files.found }).toEqual({
          sha256: sha256Of(rows.exact),
          found: rows.found,
        });
        expect(files.found!.rows).toBeGreaterThan(1000);
        return areRead;
      };
      await written("a b%/0.parquet", "", "LIMIT 0");
      await written("a b%/1.parquet", "", "LIMIT 700");
      await written("a b%/2.parquet", "", "OFFSET 700");
      expect(await areReadThere("a b%")).toBe(true);
      // A column that some files lack, one of another type, and one that is in the names of folders.
      await written("a b%/3.parquet", "EXCLUDE (y)", "LIMIT 300");
      expect(await areReadThere("a b%")).toBe(false);
      await written("decimals/1.parquet", "REPLACE (x::DECIMAL(9, 4) AS x)", "WHERE day <> '7'");
      expect(await areReadThere("decimals")).toBe(false);
      await written("parted/c=u/1.parquet", "");
      await written("parted/c=v/1.parquet", "", "LIMIT 300");
      expect(await areReadThere("parted")).toBe(false);
    });

    it("has a code where a file is replaced, or has other columns, at the next stage", async () => {
      const approved = onSpark(held, { ...lake, csv: undefined });
      const approval = await approved.preflight(plain.study, rules);
      const asked = { ...firstStage(plain), approval };
      expect((await exactOf(approved, asked)).records).toBe(approval.rows);
      await write(place, "1.parquet", "OFFSET 1001");
      expect(await refusalOf(approved, asked)).toMatch(/^TABLE_CHANGED .*usable rows have gone/);
      // Of another type, and without a column, at the next stage.
      const renamed = (change: string) =>
        duckdb([
          `COPY (SELECT * ${change} FROM (${select("")})) TO '${join(place, "0.parquet")}' (FORMAT parquet)`,
        ]);
      rmSync(join(place, "1.parquet"));
      await renamed("REPLACE ([x] AS x)");
      expect(await refusalOf(approved, asked)).toMatch(/^COLUMN_TYPE .*column "x".*nested/);
      await renamed("EXCLUDE (x)");
      expect(await refusalOf(approved, asked)).toMatch(/^COLUMN_MISSING .*"x"/);
      // Written over while it is read: what follows its header is no Parquet any more.
      await write(place, "0.parquet", "");
      const bytes = readFileSync(join(place, "0.parquet"));
      bytes.fill(secretName, 100, bytes.length / 2);
      writeFileSync(join(place, "0.parquet"), bytes);
      expect(await refusalOf(approved, asked)).toMatch(/^(?:TABLE_UNREADABLE|ENGINE_FAILED) /);
      await write(place, "0.parquet", "LIMIT 1000");
      await write(place, "1.parquet", "OFFSET 1000");
      expect((await exactOf(approved, asked)).records).toBe(approval.rows);
    });

    it("has a code where a file is replaced within a stage, and computes the next one", async () => {
      const approved = onSpark(held, { ...lake, csv: undefined });
      const approval = await approved.preflight(plain.study, rules);
      const asked = { ...firstStage(plain), approval };
      const { exact } = await exactOf(approved, asked);
      // As many rows of as many bytes, of which some are others.
      for (const rest of ["OFFSET 999 LIMIT 1000", "OFFSET 1500"]) {
        await write(folder, basename(replacing), rest);
        expect(await refusalOf(approved, asked)).toMatch(/^(?:TABLE_CHANGED|TABLE_UNREADABLE) /);
        expect(existsSync(replacing)).toBe(false);
        await write(place, "1.parquet", "OFFSET 1000");
        expect(sha256Of((await exactOf(approved, asked)).exact)).toBe(sha256Of(exact));
      }
    });
  });

  describe("given bad input", () => {
    it("has its codes, and the next study is served by the same application", async () => {
      const columns = "_c0 AS who, _c1 AS x, _c2 AS y, _c3 AS c, _c4 AS ill, _c5 AS day";
      const from = `FROM csv.\`${visits}\``;
      const ask = (query: string) => onSpark(held, { spark: { query } });
      const tooLarge = `SELECT ${columns.replace("_c1 AS x", "CAST(concat('98765432', _c5) AS DECIMAL(4, 2)) AS x")} ${from} WHERE _c5 <> 'day'`;
      const refusal = await refusalOf(ask(tooLarge));
      expect(refusal).toMatch(/^TABLE_UNREADABLE table "visits": Spark reports NUMERIC_VALUE_OUT_OF_RANGE/);
      expect(refusal).not.toContain("98765432");
      expect(await refusalOf(ask(`SELECT nothing ${from}`))).toMatch(/TABLE_UNREADABLE.*UNRESOLVED_COLUMN/);
      expect(
        await refusalOf(ask(`SELECT ${columns.replace("_c1 AS x", "array(_c1) AS x")} ${from}`)),
      ).toMatch(/^COLUMN_TYPE .*column "x".*nested/);
      expect(await refusalOf(ask(`SELECT ${columns.replace("_c1 AS x", "_c1 AS other")} ${from}`))).toMatch(
        /^COLUMN_MISSING .*"x"/,
      );
      expect(await refusalOf(onSpark(held, { spark: { parquet: "/nowhere/visits" } }))).toMatch(
        /TABLE_UNREADABLE.*PATH_NOT_FOUND/,
      );
      const none = ask(`SELECT ${columns} ${from} WHERE false`);
      const empty = await exactOf(none, firstStage());
      expect({
        records: empty.records,
        found: empty.found?.rows,
        sum: empty.exact.some((value) => value !== 0n),
      }).toEqual({
        records: 0,
        found: 0,
        sum: false,
      });
      const plain = pcc({ privacy: "none" });
      await expect(
        none.preflight(plain.study, { minimumRows: 1, refuseConstant: false }),
      ).rejects.toMatchObject({
        code: "ROWS_TOO_FEW",
      });
      const malformed = join(folder, "malformed.csv");
      writeFileSync(
        malformed,
        `${readFileSync(visits, "utf8")}${secretName},1\n${secretName},1,2,u,no,3,4\n`,
      );
      const [one, many] = [alone({ path: malformed }), onSpark(held, { spark: { csv: malformed } })];
      const whole = await exactOf(one, firstStage());
      const parts = await exactOf(many, firstStage());
      expect(sha256Of(parts.exact)).toBe(sha256Of(whole.exact));
      expect(parts.found).toEqual(whole.found);
      expect(parts.found?.malformed).toBe(2);
      // What the agent reads itself has the hash that executors come to.
      const clean = join(folder, "clean.csv");
      writeFileSync(clean, readFileSync(visits, "utf8").replaceAll(`,${secretName},`, ",0.25,"));
      const approved = onSpark(held, { spark: { csv: clean } });
      const rules = { minimumRows: 0, refuseConstant: false };
      const approval = await approved.preflight(plain.study, rules);
      expect(approval.contentHash).toBe(
        (await alone({ path: clean }).preflight(plain.study, rules)).contentHash,
      );
      const asked = { ...firstStage(plain), approval };
      expect(sha256Of((await exactOf(approved, asked)).exact)).toBe(
        sha256Of((await exactOf(alone({ path: clean }), asked)).exact),
      );
      const other = { ...approval, rows: approval.rows - 1 };
      expect(await refusalOf(approved, { ...asked, approval: other })).toContain("TABLE_CHANGED");
      expect(new Set(drivers).size).toBe(1);
    });
  });
});

describe("the driver", () => {
  it("says that its master let it go where Spark is stopped while the session is being made", async (context) => {
    requireSpark(context);
    const script = `import importlib.util, json, sys
from pyspark import SparkContext
spec = importlib.util.spec_from_file_location("driver", sys.argv[1])
driver = importlib.util.module_from_spec(spec)
spec.loader.exec_module(driver)
made = SparkContext._initialize_context
def stopped(self, conf):
  context = made(self, conf)
  context.sc().stop()
  return context
SparkContext._initialize_context = stopped
try:
  driver.Application(None, json.loads(sys.argv[2]))
except Exception as thrown:
  print(json.dumps(driver.fault_of(thrown)["fault"]))`;
    const start = { node: "node", args: [], worker: "worker.mjs", sha256: "", master: "local[1]" };
    const args = [
      join(root, "site-agent/src/engines/spark/driver.py"),
      JSON.stringify({ ...start, remote: null, secret: null, conf: {}, forced: {} }),
    ];
    expect(JSON.parse(await requirePython(context, ["pyspark"]).run(script, args))).toBe("GONE");
  });

  it("knows sign-ins that are refused and masters that let it go, writes settings as Java reads them, and deals files' parts among cores", async (context) => {
    const driver = join(root, "site-agent/src/engines/spark/driver.py");
    const script = `import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("driver", sys.argv[1])
driver = importlib.util.module_from_spec(spec)
spec.loader.exec_module(driver)
print(json.dumps([
  [driver.fault_of(Exception(text))["fault"] for text in json.loads(sys.argv[2])],
  driver.property_line("spark.a.b", json.loads(sys.argv[3])),
  [driver.local_path(uri) for uri in ("file:///a%20b/c.parquet", "file:/a", "hdfs://host/a", "file:///a/day=1/b")],
  driver.dealt([("a", 9, [(5, 10), (0, 0), (5, 10)]), ("b", 7, [(5, 20), (5, 40)])], 2),
  [len(driver.dealt([("a", 9, [(1, 1)] * count)], 3)) for count in (0, 1, 2, 100)],
  len(driver.dealt([("a", 9, [(1, 2**20)] * 2000)], 3)),
  [driver.fault_of(Exception(text))["detail"] for text in json.loads(sys.argv[4])],
]))`;
    const words = {
      "Cannot call methods on a stopped SparkContext.": "GONE",
      "Spark context stopped while waiting for backend": "GONE",
      "Job aborted: All masters are unresponsive! Giving up.": "GONE",
      "Client cannot authenticate via:[TOKEN, KERBEROS]": "SIGN_IN",
      CONSILIUM_NODE_MISSING: "NODE_MISSING",
      "something else": "SPARK",
    };
    const quoting = {
      "Cannot cast 'No module named 'hiv_positive''": null,
      "No module named 'pyarrow_of_nobody'": null,
      "No module named 'pyarrow.compute'": "pyarrow",
      "CONSILIUM_PYTHON HIVpositive": null,
      "CONSILIUM_PYTHON ValueError": "ValueError",
      "CONSILIUM_NODE_MISSING HIVpositive": null,
    };
    const args = [Object.keys(words), " a\\b\nc=d#é😀", Object.keys(quoting)].map((one) =>
      JSON.stringify(one),
    );
    expect(JSON.parse(await requirePython(context, []).run(script, [driver, ...args]))).toEqual([
      Object.values(words),
      "spark.a.b=\\u0020a\\u005cb\\u000ac=d#\\u00e9\\ud83d\\ude00\n",
      ["/a b/c.parquet", "/a", null, null],
      [
        [
          ["a", 9, [5, 0, 5], [0, 2]],
          ["b", 7, [5, 5], [0]],
        ],
        [["b", 7, [5, 5], [1]]],
      ],
      [0, 1, 2, 3],
      // 2,000 MiB among three at a time, of at most 256 each.
      9,
      Object.values(quoting),
    ]);
  });
});

furtherSuite("a query that fails at a value", () => {
  it("would be logged with it, were Spark not told to be silent", async () => {
    const loud = changedDriver(
      clusterOn({ master: "local-cluster[1,1,1024]" }),
      [
        'start["forced"].items():\n            builder',
        '{**start["forced"], "spark.executor.defaultJavaOptions": "-Dx=y"}.items():\n            builder',
      ],
      ['"undone": sorted(set(wrong))', '"undone": []'],
    );
    expect(await refusalOf(onSpark(loud, { spark: { query: failingQuery } }))).toContain("TABLE_UNREADABLE");
    await expect.poll(() => valuesOnDisk().length).toBeGreaterThan(0);
    rmSync(logs, { recursive: true });
    mkdirSync(logs);
  });
});

/** At some row a name is cast to a number. */
const failingQuery = `SELECT _c0 AS who, CAST(_c2 AS INT) AS x, _c2 AS y, _c3 AS c, _c4 AS ill, _c5 AS day FROM csv.\`${visits}\` WHERE _c2 LIKE 'M%'`;

/** Waits until a worker of an executor computes, and kills that executor. @returns its number */
async function killExecutor(driver: () => number): Promise<number> {
  for (;;) {
    await wait(5);
    for (const { pid, command } of below(driver()))
      if (
        command.includes("CoarseGrainedExecutorBackend") &&
        below(pid).some((one) => one.command.includes("fold-worker.mjs"))
      ) {
        process.kill(pid, "SIGKILL");
        return pid;
      }
  }
}

furtherSuite("a sum", () => {
  const wrong = [
    [
      "counts a share twice",
      [
        "merged = partials.",
        'merged = partials.withColumn("two", sql.explode(sql.array(sql.lit(1), sql.lit(2)))).drop("two").',
      ],
      "COUNTED_TWICE",
    ],
    [
      "lacks a share",
      ["merged = partials.", 'merged = partials.filter("share <> 1 OR chunk < 0").'],
      /counts \d of \d shares|parts of the vector/,
    ],
    ["has a patient in two places", ['repartition(shares, "key")', "repartition(shares)"], "PATIENT_DIVIDED"],
  ] as const;
  it.each(wrong)("that %s is refused", async (_, change, what) => {
    const refusal = await refusalOf(
      onSpark(changedDriver(clusterOn(), change), { unit: patientUnit }),
      ofPatients(),
    );
    expect(refusal).toContain('ENGINE_FAILED table "visits": ');
    expect(refusal).toMatch(what);
  });

  further("would have another value, were patients told apart by how their number is written", async () => {
    const unit = { unit: patientUnit };
    const exactly = 'return sql.regexp_replace(column, r"^(-?[0-9]+)\\.0+\\z", "$1")';
    const strict = changedDriver(clusterOn(), [exactly, "return column"]);
    const whole = await exactOf(alone(unit), ofPatients());
    const divided = await exactOf(onSpark(strict, unit), ofPatients());
    expect(sha256Of(divided.exact)).not.toBe(sha256Of(whole.exact));
    expect(divided.found!.overBound).toBeLessThan(whole.found!.overBound);
  });
});

describe("what a cluster lacks", () => {
  const cluster = clusterOn;

  further("has a code where the cluster is full", async () => {
    // Workers of one core each, executors of two: as long as nobody leaves, there is no room.
    const full = cluster({ master: "local-cluster[1,1,1024]", conf: { "spark.executor.cores": "2" } });
    const refusal = await refusalOf(onSpark({ ...full, startMinutes: 0.3 }));
    expect(refusal).toMatch(/^ENGINE_UNREACHABLE table "visits": .*no executor within 0.3 minutes/);
    expect(below(process.pid).filter(({ command }) => command.includes("driver.py"))).toEqual([]);
  });

  further(
    "begins again where a ticket of Kerberos expired, and has the code of all that fails once rows are read",
    async () => {
      const partials = "partials = frame";
      const expired = `raise Exception("org.apache.hadoop.security.token.SecretManager$InvalidToken: ${secretName} is expired")`;
      const before = drivers.length;
      const always = changedDriver(cluster(), [partials, `${expired}\n        ${partials}`]);
      expect(await refusalOf(onSpark(always))).toMatch(/^ENGINE_FAILED .*refuses the application's sign-in/);
      expect(drivers.length).toBe(before + 4);
      const mark = JSON.stringify(join(folder, "expired"));
      const once = changedDriver(cluster(), [
        partials,
        `if not os.path.exists(${mark}):\n            open(${mark}, "w").close()\n            ${expired}\n        ${partials}`,
      ]);
      const { exact } = await exactOf(onSpark(once), firstStage());
      expect(sha256Of(exact)).toBe(sha256Of((await exactOf(alone(), firstStage())).exact));
      expect(drivers.length).toBe(before + 6);
    },
  );

  const faults = [
    [
      "an executor has no Node",
      () => cluster({ node: "/nowhere/node" }),
      /^ENGINE_INCOMPLETE .*no Node at/,
      "rows",
    ],
    [
      "Python is missing",
      () => cluster({ python: "/nowhere/python3" }),
      /^ENGINE_INCOMPLETE .*Python cannot be started/,
      "start",
    ],
    [
      "Python is another one on executors",
      () => cluster({ executorPython: "/nowhere/python3" }),
      /^ENGINE_INCOMPLETE .*cannot start Python/,
      "rows",
    ],
    [
      "a module is missing",
      () => changedDriver(cluster(), ["import pyarrow\n", "import pyarrow_of_nobody as pyarrow\n"]),
      /^ENGINE_INCOMPLETE .*lacks a module/,
      "start",
    ],
    [
      "Java is missing",
      () => {
        const own = cluster();
        const environment = { ...own.program!.environment, PATH: "/nowhere", JAVA_HOME: "/nowhere" };
        return { ...own, program: { ...own.program!, environment } };
      },
      /^ENGINE_UNREACHABLE .*JVM did not start/,
      "start",
    ],
    [
      "the worker is another one",
      () => changedDriver(cluster(), ['self.spec["sha256"] = start["sha256"]', 'self.spec["sha256"] = "0"']),
      /^ENGINE_INCOMPLETE .*fold worker as it was shipped/,
      "rows",
    ],
  ] as const;
  const triedFaults = faults.filter(([name]) => isWholeRun || quickFaults.includes(name));
  it.each(triedFaults)("has its code where %s", async (_, lacking, what, found) => {
    const engine = lacking();
    const refusal = await refusalOf(onSpark(engine));
    if (found === "rows") {
      expect(refusal).toMatch(/^ENGINE_FAILED /);
      expect(refusal.replace("ENGINE_FAILED", "ENGINE_INCOMPLETE")).toMatch(what);
    } else expect(refusal).toMatch(what);
    // Doctor reads no rows.
    const table = { ...entry({ spark: { csv: visits }, engine: "lake", ...csv }), cluster: engine };
    const thrown = await probeCluster(table).then(
      () => null,
      (error: unknown) => error as { code: string; message: string },
    );
    expect(`${thrown?.code} ${english(thrown?.message ?? "")}`).toMatch(what);
  });
});

describe("a cluster of two executors", () => {
  it("has the integers of one process though one is killed, with speculation, from rows in any order and in batches of one", async (context) => {
    inOneApplication();
    const parquet = join(folder, "all.parquet");
    // A batch of each row takes long: of the gate a third of the patients, with all of their rows.
    const few = join(folder, "few.csv");
    const lines = readFileSync(visits, "utf8").trimEnd().split("\n");
    const kept = lines.filter((_, i) => i === 0 || (i - 1) % patients < inGate(250, { whole: patients }));
    writeFileSync(few, `${kept.join("\n")}\n`);
    await requirePython(context, ["pyarrow"]).run(writeParquet, [few, parquet]);
    const before = drivers.length;
    const cluster = changedDriver(
      clusterOn({
        master: "local-cluster[2,1,1024]",
        conf: {
          ...speculation,
          "spark.sql.execution.arrow.maxRecordsPerBatch": "1",
          "spark.sql.files.maxPartitionBytes": inGate("7000", { whole: "20000" }),
          "spark.sql.files.openCostInBytes": "0",
        },
      }),
      ["SHARE_BYTES = 32 * 1024**2", `SHARE_BYTES = ${inGate(16, { whole: 48 })} * 1024`],
    );
    const query = `SELECT * FROM parquet.\`${parquet}\` ORDER BY rand(7)`;
    const tablesOf = (unit: object) => ({
      shared: onSpark(cluster, { spark: { query }, ...unit }),
      whole: new ConfiguredTables([entry({ path: parquet, ...unit })], folder, processSecret),
    });
    const rowsAlone = tablesOf({});
    for (const [, own] of triedByRow) await expectSameIntegers(own, rowsAlone, stagesMost);
    const killing = killExecutor(() => drivers.at(-1)!);
    await expectSameIntegers(perPatient(sharedStudies["dp-pcc"]!), tablesOf({ unit: patientUnit }), 1);
    expect(await killing).toBeGreaterThan(0);
    // A query that fails at a value: Spark's own message quotes it.
    const failing = onSpark(cluster, { spark: { query: failingQuery } });
    expect(await refusalOf(failing, ofPatients())).toContain("TABLE_UNREADABLE");
    expect(drivers.length).toBe(before + 1);
    expect(valuesOnDisk()).toEqual([]);
    expect(filesBelow(logs).some((path) => path.endsWith("stderr"))).toBe(true);
  });
});

describe("settings that protect records", () => {
  it("are looked at once Spark runs: an application without them computes nothing", async () => {
    const unforced = changedDriver(undoing(), [
      'start["forced"].items():\n            builder',
      '{"spark.app.name": "unforced"}.items():\n            builder',
    ]);
    const refusal = await refusalOf(onSpark(unforced));
    expect(refusal).toContain("ENGINE_UNSAFE");
    for (const key of [
      "spark.authenticate",
      "spark.io.encryption.enabled",
      "spark.ui.enabled",
      "spark.network.crypto.enabled",
    ])
      expect(refusal).toContain(key);
  });
});

describe("an application", () => {
  further("that is lost is started again, once", async () => {
    const whole = await exactOf(alone(), firstStage());
    const own = clusterOn();
    const before = drivers.length;
    const onStart = (pid: number) => {
      drivers.push(pid);
      if (drivers.length === before + 1) void killExecutorOrDriver(pid);
    };
    const { exact } = await exactOf(onSpark({ ...own, program: { ...own.program!, onStart } }), firstStage());
    expect(sha256Of(exact)).toBe(sha256Of(whole.exact));
    expect(drivers.length).toBe(before + 2);
    // The second of them would serve this study, too.
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
    const never = clusterOn();
    const killed = (pid: number) => {
      drivers.push(pid);
      setTimeout(() => process.kill(pid, "SIGKILL"), 100);
    };
    expect(await refusalOf(onSpark({ ...never, program: { ...never.program!, onStart: killed } }))).toMatch(
      /^ENGINE_UNREACHABLE .*ended early/,
    );
    expect(drivers.length).toBe(before + 4);
  });

  further("ends with its study", async () => {
    const abort = new AbortController();
    await exactOf(onSpark(clusterOn()), { ...firstStage(), signal: abort.signal });
    const own = drivers.at(-1)!;
    expect(below(own).length).toBeGreaterThan(0);
    abort.abort(new Error("the study is over"));
    await expect.poll(() => isGone(own)).toBe(true);
  });

  it("ends with the agent: driver, Spark and workers", async () => {
    const agent = startAgent(clusterOn());
    try {
      await once(agent.stdout!, "data");
      const processes = below(agent.pid!);
      expect(processes.some(({ command }) => command.includes("driver.py"))).toBe(true);
      expect(processes.some(({ command }) => command.includes("java"))).toBe(true);
      process.kill(agent.pid!, "SIGKILL");
      await expect.poll(() => processes.filter(({ pid }) => !isGone(pid)).length).toBe(0);
    } finally {
      agent.kill("SIGKILL");
    }
  });
});

/** Kills a driver once a worker below it computes. */
async function killExecutorOrDriver(driver: number): Promise<void> {
  while (!below(driver).some(({ command }) => command.includes("fold-worker.mjs"))) await wait(10);
  process.kill(driver, "SIGKILL");
}

/** A process that has started an application as the agent does, of what was built. */
function startAgent({ program, ...cluster }: ResolvedCluster): ChildProcess {
  const application = join(root, "site-agent/dist/engines/spark/application.js");
  const script = `import { SparkApplication } from ${JSON.stringify(application)};
    const application = await SparkApplication.start(${JSON.stringify(cluster)});
    process.stdout.write("started\\n");
    setInterval(() => application, 1000);`;
  return spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: program!.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
}
