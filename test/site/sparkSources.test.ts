/**
 * What a hospital may keep on its Spark cluster, or elsewhere: an OMOP CDM; columns that a study recodes, with dates and a cohort; and the
 * published correlation tree's map tasks. The same rows have one content hash and one set of integers wherever they are.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OmopPlan, omopPlanSchema } from "@consilium/core/omop/plan";
import { planStudy } from "@consilium/core/study/plan";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { openSource } from "@consilium/site-agent/data/openSource";
import { processSecret } from "@consilium/site-agent/data/rowHash";
import { cdmTables } from "@consilium/site-agent/data/sources/omop/query";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { Engines } from "@consilium/site-agent/engines/engines";
import type { ResolvedCluster } from "@consilium/site-agent/engines/spark/sparkConfig";
import { duckdbExtremes, extremeCdm } from "@consilium/site-agent/testing/data/extremes";
import { omopInLake } from "@consilium/site-agent/testing/data/omopLake";
import { fullPlan, omopStudy } from "@consilium/site-agent/testing/data/omopPlans";
import { writeSyntheticCdm } from "@consilium/site-agent/testing/data/syntheticCdm";
import { csvText, duckdb, jsonLines, temporaryFolder } from "@consilium/site-agent/testing/data/writeTable";
import { converse, documentOf, exactOf, sha256Of } from "@consilium/site-agent/testing/engines/stages";
import { bundledPrograms } from "@consilium/site-agent/testing/engines/workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { changedDriver, furtherSuite, requireSpark, smallCluster } from "../support/spark.js";

const folder = temporaryFolder();
const datasets = process.env.CONSILIUM_DATASETS;
const engines: Engines[] = [];
let cluster: ResolvedCluster;

beforeEach((context) => requireSpark(context));
beforeAll(async () => {
  const { worker, published } = await bundledPrograms();
  cluster = smallCluster({ worker, published, environment: { ...process.env, SPARK_LOCAL_DIRS: folder } });
});
afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.close())));

/** A table as a site has it; with a cluster, on that. */
function tablesOf(entry: object, on: ResolvedCluster | null = null): ConfiguredTables {
  const config = tableConfigSchema.parse({ ...entry, ...(on !== null && { engine: "lake" }) });
  if (on === null) return new ConfiguredTables([config], folder, processSecret);
  const engine = new Engines({ lake: on });
  engines.push(engine);
  return new ConfiguredTables([{ ...config, cluster: on }], folder, processSecret, engine);
}

const firstOf = (document: ReturnType<typeof documentOf>) => ({
  document,
  stage: planStudy(document.study).stages[0]!.id,
  broadcasts: new Map(),
});

furtherSuite("an OMOP CDM on Spark", () => {
  async function lakeOf(cdm: string, name: string, spell: (table: string) => string): Promise<string> {
    const lake = join(folder, name);
    await omopInLake(cdm, lake, spell);
    return lake;
  }

  /** The plan over the made-up vocabulary, with what Synthea's records have beside it. */
  function planOfBoth(): OmopPlan {
    const plan = fullPlan({ from: "1950-02-28" });
    const real: Record<string, number> = {
      diabetes: 40481087,
      systolic: 3004249,
      inpatient: 9203,
      metformin: 1127433,
    };
    const conceptSets = Object.entries(plan.conceptSets).map(([name, items]) => [
      name,
      [...items, ...(real[name] === undefined ? [] : [{ concept: real[name] }])],
    ]);
    return omopPlanSchema.parse({ ...plan, conceptSets: Object.fromEntries(conceptSets) });
  }

  it("gives the integers that DuckDB over its files gives: as files, and in a catalogue", async () => {
    const synthetic = join(folder, "cdm");
    await writeSyntheticCdm(synthetic, { persons: 200, seed: 11 });
    const cdms = [{ files: synthetic, lake: await lakeOf(synthetic, "lake", (table) => table), least: 50 }];
    if (datasets !== undefined) {
      const files = join(datasets, "omop-synthea27nj");
      cdms.push({ files, lake: await lakeOf(files, "synthea", (table) => table.toUpperCase()), least: 20 });
    }
    const made = cdmTables.map(
      ({ name }) => `"CREATE TABLE cdm.${name} USING parquet LOCATION '${join(folder, "lake", name)}'"`,
    );
    const own = changedDriver(cluster, folder, [
      'return builder.master(start["master"]).getOrCreate()',
      `spark = builder.master(start["master"]).config("spark.sql.warehouse.dir", "${folder}/warehouse").getOrCreate()
            for statement in ["CREATE DATABASE cdm", ${made.join(", ")}]:
                spark.sql(statement)
            return spark`,
    ]);
    // A row whose sex is not told is left out: its condition is open.
    const document = documentOf({
      ...omopStudy(planOfBoth()),
      where: 'age >= 3 and sex in ("female", "male")',
    });
    const counts: number[] = [];
    for (const { files, lake, least } of cdms) {
      const whole = await exactOf(tablesOf({ name: "cohort", omop: { files } }), firstOf(document));
      expect(whole.records).toBeGreaterThan(least - 1);
      const catalog = files === synthetic ? [{ spark: "catalog", schema: "cdm" }] : [];
      const places = [...catalog, ...(cdms.length === 1 || files !== synthetic ? [{ spark: lake }] : [])];
      for (const omop of places) {
        const { exact, found } = await exactOf(tablesOf({ name: "cohort", omop }, own), firstOf(document));
        expect({ omop, sha256: sha256Of(exact) }).toEqual({ omop, sha256: sha256Of(whole.exact) });
        expect(found).toEqual(whole.found);
      }
      counts.push(whole.records);
    }
    expect(new Set(counts).size).toBe(cdms.length);
  });
});

furtherSuite("an OMOP CDM of extreme values on Spark", () => {
  it.each([
    { id: "int4", day: "DATE", time: "TIMESTAMP", value: "DECIMAL(38, 0)" },
    { id: "int8", day: "TIMESTAMP", time: "DATE", value: "float8" },
  ])("is read to its end, without a person less: $id, $day", async (types) => {
    const { statements, odd } = extremeCdm(types, duckdbExtremes);
    const lake = join(folder, `extreme-${types.id}`);
    const copies = cdmTables.map(({ name }) => {
      mkdirSync(join(lake, name), { recursive: true });
      return `COPY ${name} TO '${lake}/${name}/part-0.parquet' (FORMAT parquet)`;
    });
    await duckdb([...statements, ...copies]);
    const entry = tableConfigSchema.parse({ name: "cohort", engine: "lake", omop: { spark: lake } });
    engines.push(new Engines({ lake: cluster }));
    const plan = fullPlan({ occurrence: "last" });
    const { study } = documentOf(omopStudy(plan));
    const { source } = await openSource({ ...entry, cluster }, study);
    const names = (await source.columns("")).map(({ name }) => name);
    const requests = names
      .filter((name) => name !== "sex")
      .map((name) => ({ kind: "number", name }) as const);
    const persons: number[] = [];
    for await (const { rows, columns } of source.read("", requests, {}))
      persons.push(...columns.at(-1)!.subarray(0, rows));
    expect(persons).toEqual(expect.arrayContaining(odd.map((_, at) => at + 1)));
  });
});

describe("recoded columns, dates and a cohort", () => {
  const programs = postgresPrograms();
  const names = ["born", "admitted", "sex", "hba1c", "ward", "back"];
  const day = (n: number) => new Date(Date.UTC(1940, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
  /** With gaps, codes that nothing covers, and people who turn 18, or are born on 29 February. */
  const rows = Array.from({ length: 400 }, (_, i) => [
    i % 31 === 0 ? null : i % 23 === 0 ? "1996-02-29" : day((i * 7919) % 22_000),
    i % 29 === 0 ? null : day(26_900 + ((i * 31) % 1500)),
    i % 19 === 0 ? "unknown" : i % 2 === 0 ? "F" : "M",
    i % 13 === 0 ? null : (5 + ((i * 37) % 61) / 10).toFixed(2),
    i % 17 === 0 ? null : ["A", "B", "C"][i % 3]!,
    i % 11 === 0 ? "never" : ["<30", ">30", "NO"][(i * 7) % 3]!,
  ]);
  const study = {
    name: "recoded",
    table: "stays",
    analysis: "correlation-tree",
    method: "dp-pcc",
    privacy: "none",
    features: [
      {
        name: "years",
        type: "numeric",
        from: "born",
        as: { "age-at": "admitted" },
        min: 18,
        max: 100,
        missing: { constant: 50 },
      },
      {
        name: "since",
        type: "numeric",
        from: "admitted",
        as: { "days-since": "2014-01-01" },
        min: 0,
        max: 900,
        missing: { constant: 0 },
      },
      {
        name: "glucose",
        type: "categorical",
        from: "hba1c",
        levels: ["good", "fair", "poor"],
        map: [{ below: 7, level: "good" }, { below: 8, level: "fair" }, { level: "poor" }],
        missing: "own-level",
      },
      { name: "sex", type: "categorical", map: { F: "f", M: "m" }, levels: ["f", "m"], undeclared: "other" },
    ],
    label: {
      name: "again",
      from: "back",
      map: { "<30": "yes", ">30": "no", NO: "no" },
      levels: ["no", "yes"],
      undeclared: "reject-row",
    },
    columns: [
      { name: "born", type: "date", format: "DD.MM.YYYY" },
      { name: "admitted", type: "date" },
      { name: "ward", type: "categorical", levels: ["C"] },
    ],
    where: 'years >= 18 and admitted between 2014-01-01 and 2016-12-31 and (ward != "C" or ward is missing)',
    participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 1000 },
    parameters: { depth: 2, evaluation: "none" },
  };

  it.skipIf(programs === null)(
    "have one content hash and one set of integers in a CSV file, PostgreSQL, a query over files, FHIR and Spark",
    async () => {
      const at = (name: string) => join(folder, name);
      const written = rows.map(([born, ...rest]) => [born?.split("-").reverse().join(".") ?? null, ...rest]);
      writeFileSync(at("stays.csv"), csvText({ names, rows: written }));
      const types = ["DATE", "DATE", "VARCHAR", "DECIMAL(6, 3)", "VARCHAR", "VARCHAR"];
      const typed = names.map((name, k) => `CAST(${name} AS ${types[k]}) AS ${name}`).join(", ");
      writeFileSync(at("iso.csv"), csvText({ names, rows }));
      await duckdb([
        `COPY (SELECT ${typed} FROM read_csv('${at("iso.csv")}', header = true, all_varchar = true)) TO '${at("stays.parquet")}' (FORMAT parquet)`,
      ]);
      const keys = ["issued", "effectiveDateTime", "gender", "value", "ward", "status"];
      const resources = rows.map((row) => [
        "Observation",
        ...row.map((cell, k) => (k === 3 && cell !== null ? Number(cell) : cell)),
      ]);
      writeFileSync(
        at("Observation.ndjson"),
        jsonLines({ names: ["resourceType", ...keys], rows: resources }),
      );
      const view = {
        resource: "Observation",
        select: [
          {
            column: names.map((name, k) => ({
              name,
              path: k === 1 ? "effective.ofType(dateTime)" : keys[k],
              ...(k === 3 && { type: "decimal" }),
            })),
          },
        ],
      };
      const server = await TestPostgres.start(programs!);
      try {
        const columns = names.map((name, k) => `${name} ${types[k]!.replace("VARCHAR", "text")}`);
        server.psql(`CREATE TABLE stays (${columns.join(", ")})`);
        server.psql(`\\copy stays FROM '${at("iso.csv")}' (FORMAT csv, HEADER)`);
        const csv = { csv: { header: true } };
        const sources = {
          csv: { path: at("stays.csv"), ...csv },
          postgres: { postgres: { url: server.url(), query: "SELECT * FROM stays" } },
          duckdb: { duckdb: { files: { s: at("stays.parquet") }, query: "SELECT * FROM s" } },
          fhir: { fhir: { files: { Observation: at("Observation.ndjson") }, views: { o: view } } },
          "spark, Parquet": { spark: { parquet: at("stays.parquet") } },
          "spark, CSV": { spark: { csv: at("stays.csv") }, ...csv },
        };
        const document = documentOf(study);
        const rules = { minimumRows: 1, refuseConstant: true };
        const found: Record<string, object> = {};
        for (const [kind, source] of Object.entries(sources)) {
          const on = kind.startsWith("spark") ? cluster : null;
          const tables = tablesOf({ name: "stays", unit: "rows", ...source }, on);
          const { rows: used, contentHash } = await tables.preflight(document.study, rules);
          const approval = { rows: used, contentHash };
          const { exact, records } = await exactOf(tables, { ...firstOf(document), approval });
          found[kind] = { used, contentHash, records, sha256: sha256Of(exact) };
          if (kind === "csv") expect(exact.filter((count) => count !== 0n).length).toBeGreaterThan(20);
        }
        const { csv: expected, ...others } = found;
        expect(expected).toMatchObject({ records: expect.toSatisfy((n: number) => n > 60 && n < 200) });
        for (const [kind, one] of Object.entries(others))
          expect({ kind, ...one }).toEqual({ kind, ...expected });
      } finally {
        await server.remove();
      }
    },
  );
});

describe("the published correlation tree", () => {
  it("has a cluster's partitions for its map tasks: the sums of one process that deals rows in turn", async () => {
    const names = ["x", "y", "c", "task", "ill"];
    const rows = Array.from({ length: 300 }, (_, i) => {
      const x = ((i * 37) % 101) / 100;
      // One task however it is spelled.
      const task = [`${i % 5}`, `${i % 5}.0`, ` ${i % 5} `][i % 3]!;
      return [
        x,
        ((i * 17) % 89) / 88,
        i % 7 < 3 ? "u" : "v",
        task,
        (i * 7) % 11 < 5 !== x > 0.5 ? "yes" : "no",
      ];
    });
    const [inOrder, turned] = ["in-order.csv", "turned.csv"].map((name) => join(folder, name)) as [
      string,
      string,
    ];
    writeFileSync(inOrder, csvText({ names, rows }));
    writeFileSync(turned, csvText({ names, rows: rows.toReversed() }));
    const number = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });
    const category = (name: string, levels: string[]) => ({ name, type: "categorical", levels });
    const features = [number("x"), number("y"), category("c", ["u", "v"])];
    const studyOf = (own: object[], parameters: object) =>
      documentOf({
        name: "map-tasks",
        table: "stays",
        analysis: "correlation-tree",
        variant: "paper",
        privacy: "none",
        features: [...features, ...own],
        label: { name: "ill", levels: ["no", "yes"] },
        parameters: { depth: 2, evaluation: "none", ...parameters },
        participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 1000 },
      });
    const named = studyOf([category("task", ["0", "1", "2", "3", "4"])], { mapTasks: "task" });
    const dealt = studyOf([], { partitions: 5 });
    const csv = { csv: { header: true }, name: "stays", unit: "rows" };
    const alone = tablesOf({ ...csv, path: inOrder });
    const shared = tablesOf({ ...csv, spark: { csv: turned } }, cluster);
    const rules = { minimumRows: 1, refuseConstant: true };
    const [approval, own] = [
      await alone.preflight(named.study, rules),
      await alone.preflight(dealt.study, rules),
    ];
    const vectors: string[] = [];
    const asked = await converse(named, async (stage, broadcasts) => {
      const whole = await exactOf(alone, { document: dealt, stage, broadcasts, approval: own });
      const many = await exactOf(shared, { document: named, stage, broadcasts, approval });
      expect({ stage, sha256: sha256Of(many.exact) }).toEqual({ stage, sha256: sha256Of(whole.exact) });
      vectors.push(`| \`${stage}\` | ${whole.exact.length} | \`${sha256Of(whole.exact).slice(0, 16)}\` |`);
      return whole.exact;
    });
    expect(asked).toContain("leaves");
    const page = readFileSync(new URL("../../docs/methods/correlation-tree.md", import.meta.url), "utf8");
    expect(page).toContain(vectors.join("\n"));
  });
});
