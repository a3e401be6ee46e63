import { describe, expect, it } from "vitest";
import { siteConfigSchema } from "../../config.js";
import { kindOfSpark } from "../../data/sources/spark/source.js";
import { TableSources } from "../../data/tableSources.js";
import { forcedSettings, sparkEngine } from "./sparkConfig.js";

describe("settings that protect records", () => {
  it.each(Object.entries(forcedSettings))("cannot be undone by the engine's entry: %s", (key, value) => {
    const other = value === "true" ? "false" : value === "false" ? "true" : `x${value}`;
    const parse = (conf: object) => sparkEngine.safeParse({ kind: "spark", master: "yarn", conf });
    expect(parse({ [key]: value }).success).toBe(true);
    expect(parse({ [key]: other }).error?.issues[0]?.path).toEqual(["conf", key]);
  });

  it("are not taken from an entry that would write records to files", () => {
    const parse = (conf: object) => sparkEngine.safeParse({ kind: "spark", master: "yarn", conf }).success;
    expect(parse({ "spark.executor.extraJavaOptions": "-Xss4m" })).toBe(true);
    // What Spark itself sets on YARN.
    const modules = "{{PWD}}/pyspark.zip<CPS>{{PWD}}/py4j-0.10.9.9-src.zip";
    expect(parse({ "spark.executorEnv.PYTHONPATH": modules })).toBe(true);
    for (const conf of [
      { "spark.executor.extraJavaOptions": "-XX:+HeapDumpOnOutOfMemoryError" },
      { "spark.driver.extraJavaOptions": "-Dlog4j2.configurationFile=x" },
      { "spark.extraListeners": "com.example.Listener" },
      { "spark.plugins": "com.example.Plugin" },
      { "spark.executorEnv.PYTHONPATH": "/x" },
      { "spark.executorEnv.PYTHONPATH": "{{PWD}}/pyspark.zip<CPS>/x" },
      { "spark.executorEnv.PYTHONPATH": "{{PWD}}/records.zip" },
      { "spark.executorEnv.PYTHONSTARTUP": "{{PWD}}/pyspark.zip" },
      { "spark.authenticate.secret": "x" },
    ])
      expect(parse(conf), JSON.stringify(conf)).toBe(false);
  });
});

describe("an engine of Spark", () => {
  const parse = (entry: object) => {
    const parsed = sparkEngine.safeParse({ kind: "spark", ...entry });
    return parsed.success ? null : parsed.error.issues[0]!.path.join(".");
  };

  it.each([
    [{ master: "yarn" }, null],
    [{ master: "local[2]" }, null],
    [{ master: "k8s://https://cluster:6443" }, null],
    [{ master: "spark://cluster:7077", secretFile: "secret" }, null],
    [{ remote: "sc://cluster:15002/;use_ssl=true", tokenFile: "token" }, null],
    [{ remote: "sc://localhost:15002" }, null],
    [{}, "master"],
    [{ master: "yarn", remote: "sc://localhost" }, "master"],
    [{ master: "k8s://http://cluster" }, "master"],
    [{ master: "spark://cluster:7077" }, "secretFile"],
    [{ master: "yarn", secretFile: "secret" }, "secretFile"],
    [{ master: "yarn", keytab: "x.keytab" }, "keytab"],
    [{ remote: "sc://cluster:15002" }, "remote"],
    [{ remote: "sc://cluster:15002/;use_ssl=true;token=x" }, "remote"],
    [{ master: "yarn", conf: { "spark.kerberos.keytab": "x" } }, "conf.spark.kerberos.keytab"],
  ])("is where its entry says, reached under protection: %j", (entry, issue) => {
    expect(parse(entry)).toBe(issue);
  });

  const site = (table: object) =>
    siteConfigSchema.safeParse({
      aggregator: "localhost:1",
      engines: { box: { kind: "processes" }, lake: { kind: "spark", master: "yarn" } },
      tables: { visits: table },
    });

  it("computes tables of its own cluster, and no other engine does", () => {
    const spark = { table: "lake.visits" };
    const parsed = site({ spark, engine: "lake" });
    expect(parsed.data?.tables[0]?.cluster?.master).toBe("yarn");
    for (const wrong of [
      { spark },
      { spark, engine: "box" },
      { spark, engine: "none" },
      { path: "visits.csv", engine: "lake" },
      { spark: { ...spark, query: "SELECT 1" }, engine: "lake" },
      { spark: { csv: "/visits.csv" }, engine: "lake" },
      { spark: { csv: "/visits.csv" }, csv: { header: true, decimal: ",", delimiter: ";" }, engine: "lake" },
      { spark: { parquet: "visits" }, engine: "lake" },
    ])
      expect(site(wrong).success, JSON.stringify(wrong)).toBe(false);
    expect(site({ spark: { csv: "/visits.csv" }, csv: { header: true }, engine: "lake" }).success).toBe(true);
  });

  it("has one budget for all that a catalogue may hold, and one for each file", async () => {
    const place = (name: string, spark: object) => ({ name, nullValues: [], spark });
    const tables = [
      place("a", { parquet: "hdfs:///lake/a" }),
      place("below", { parquet: "hdfs:///lake/a/2024" }),
      place("b", { parquet: "hdfs:///lake/b/" }),
      place("query", { query: "SELECT 1" }),
      { name: "file", nullValues: [], path: "/lake/c.csv" },
      place("same", { csv: "file:///lake/c.csv" }),
    ];
    const sources = new TableSources(tables, new Uint8Array(32));
    await sources.resolve();
    expect(sources.overlaps).toEqual([
      ["a", "below"],
      ["a", "query"],
      ["below", "query"],
      ["b", "query"],
      ["query", "same"],
      ["file", "same"],
    ]);
  });

  it("has Spark's types as kinds of columns", () => {
    const kinds = [
      "bigint",
      "decimal(38,10)",
      "string",
      "varchar(7)",
      "timestamp_ntz",
      "date",
      "array<int>",
      "time(6)",
    ];
    expect(kinds.map(kindOfSpark)).toEqual([
      "number",
      "number",
      "text",
      "text",
      "timestamp",
      "date",
      "nested",
      "nested",
    ]);
  });
});
