import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import { planStudy } from "@consilium/core/study/plan";
import { english } from "@consilium/runtime/http/spoken";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/data/writeTable.js";
import { documentOf } from "../../../testing/engines/stages.js";
import { sharedStudies, visitsStudy } from "../../../testing/engines/studies.js";
import { TableKeys } from "../../data/rowHash.js";
import { SparkSource } from "../../data/sources/spark/source.js";
import { type TableConfig, tableConfigSchema } from "../../data/tableConfig.js";
import { boundedStudy, unitOf } from "../../data/tableUnit.js";
import { Retries } from "../../tables/retries.js";
import { applications } from "./applications.js";
import { sparkEngine } from "./sparkConfig.js";
import { sparkParts } from "./sparkStage.js";

const folder = temporaryFolder();
const worker = join(folder, "fold-worker.mjs");
writeFileSync(worker, "");
afterEach(() => applications.close());

const fault = (code: string, more: object = {}) => ({
  fault: code,
  detail: null,
  condition: null,
  kind: "Exception",
  python: false,
  ...more,
});
const started = { spark: "4.3.0", undone: [] };
const names = ["who", "x", "y", "c", "ill", "day"];
const columns = { columns: names.map((name) => [name, "string"]) };
const served = { start: started, columns };
type Answers = Readonly<Record<string, object | null>>;

let made = 0;

/**
 * A table on a cluster whose driver answers each request by its name, and ends at one that it has no answer for.
 * @param applicationsOf - answers of the first, second … application; of more as of the last
 */
function onCluster(applicationsOf: readonly Answers[]): {
  readonly config: TableConfig;
  readonly starts: () => number;
} {
  const path = join(folder, `driver-${++made}`);
  const script = `#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs");
appendFileSync("${path}.starts", ".");
const all = ${JSON.stringify(applicationsOf)};
const answers = all[Math.min(readFileSync("${path}.starts").length, all.length) - 1];
let held = Buffer.alloc(0);
process.stdin.on("data", (data) => {
  held = Buffer.concat([held, data]);
  while (held.length >= 4 && held.length >= 4 + held.readUInt32LE()) {
    const end = 4 + held.readUInt32LE();
    const asked = JSON.parse(held.subarray(4, end));
    if (held.length < end + (asked.bytes ?? 0)) return;
    held = held.subarray(end + (asked.bytes ?? 0));
    const answer = answers[asked.do];
    if (answer == null) process.exit(1);
    const text = Buffer.from(JSON.stringify(answer));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    process.stdout.write(Buffer.concat([length, text]));
  }
});`;
  writeFileSync(path, script, { mode: 0o700 });
  const cluster = {
    ...sparkEngine.parse({ kind: "spark", master: "yarn", python: path }),
    program: { worker, environment: {} },
  };
  const entry = { name: "visits", unit: "rows", spark: { parquet: "/lake/visits" }, engine: "lake" };
  const config = { ...tableConfigSchema.parse(entry), cluster };
  return { config, starts: () => readFileSync(`${path}.starts`).length };
}

/** The end that the first stage of a study comes to, and the applications that were started for it. */
async function endOf(...applicationsOf: readonly Answers[]): Promise<string> {
  const { config, starts } = onCluster(applicationsOf);
  const document = documentOf({ ...visitsStudy, ...sharedStudies["dp-pcc"] });
  const bounded = boundedStudy(document.study, unitOf(config));
  const stage = {
    document,
    stage: planStudy(document.study).stages[0]!.id,
    site: "hospital-a" as SiteId,
    broadcasts: new Map(),
    entries: 8,
    approval: null,
    found: () => undefined,
    signal: new AbortController().signal,
    retries: new Retries(),
    config,
    bounded,
    keys: TableKeys.derive(new Uint8Array(32), bounded),
  };
  const ended = await sparkParts(stage)
    .next()
    .catch((thrown: ConsiliumError) => thrown);
  const { code, message } = ended as ConsiliumError;
  return `${starts()} ${code} ${english(message)}`;
}

describe("a stage on a cluster", () => {
  it.each([
    ["MODULE_MISSING", {}, /^1 ENGINE_FAILED .*lacks a module/],
    ["NODE_MISSING", {}, /^1 ENGINE_FAILED .*no Node at/],
    ["WORKER_CHANGED", {}, /^1 ENGINE_FAILED .*fold worker as it was shipped/],
    ["SPARK", { python: true }, /^1 ENGINE_FAILED .*cannot start Python/],
    ["SPARK", { condition: "JAVA_GATEWAY_EXITED" }, /^\d ENGINE_FAILED .*JVM did not start/],
    ["GONE", {}, /^4 ENGINE_FAILED .*did not take/],
    ["SIGN_IN", {}, /^4 ENGINE_FAILED .*sign-in/],
  ])("has one code where rows are read, whatever words Spark's message has: %s", async (code, more, what) => {
    expect(await endOf({ ...served, fold: fault(code, more) })).toMatch(what);
  });

  it("has its own codes before", async () => {
    const lacking = fault("MODULE_MISSING", { detail: "pyarrow" });
    expect(await endOf({ start: lacking })).toMatch(/^1 ENGINE_INCOMPLETE .*lacks the module pyarrow/);
    expect(await endOf({ start: { spark: "4.3.0", undone: ["spark.ui.enabled"] } })).toMatch(
      /^1 ENGINE_UNSAFE/,
    );
    expect(await endOf({ start: fault("SIGN_IN") })).toMatch(/^1 ENGINE_UNREACHABLE/);
    expect(await endOf({ start: started, columns: lacking })).toMatch(/^1 ENGINE_INCOMPLETE/);
  });

  it.each([
    ["GONE", fault("GONE")],
    ["MODULE_MISSING", fault("MODULE_MISSING")],
    ["other settings", { spark: "4.3.0", undone: ["spark.ui.enabled"] }],
  ])("has one code too where another application cannot start after the first: %s", async (_, start) => {
    expect(await endOf({ ...served, fold: null }, { start })).toMatch(/^2 ENGINE_FAILED/);
  });
});

describe("a check of a table's columns", () => {
  it("is made once more where the application ends that it shares, and no more often", async () => {
    const once = onCluster([{ start: started, columns: null }, served]);
    expect((await new SparkSource(once.config).columns()).map(({ name }) => name)).toEqual(names);
    expect(once.starts()).toBe(2);
    const always = onCluster([{ start: started, columns: null }]);
    await expect(new SparkSource(always.config).columns()).rejects.toMatchObject({
      code: "ENGINE_UNREACHABLE",
    });
    expect(always.starts()).toBe(2);
  });

  it("is not made once more where an application cannot start, or Spark refuses the table", async () => {
    const full = onCluster([{ start: fault("GONE") }]);
    await expect(new SparkSource(full.config).columns()).rejects.toMatchObject({
      code: "ENGINE_UNREACHABLE",
    });
    const away = onCluster([{ start: started, columns: fault("SPARK", { condition: "PATH_NOT_FOUND" }) }]);
    await expect(new SparkSource(away.config).columns()).rejects.toMatchObject({ code: "TABLE_UNREADABLE" });
    expect([full.starts(), away.starts()]).toEqual([1, 1]);
  });
});
