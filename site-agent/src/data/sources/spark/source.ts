import type { Study } from "@consilium/core/study/study";
import { z } from "zod";
import { asBuilt, type SparkApplication } from "../../../engines/spark/application.js";
import { applications } from "../../../engines/spark/applications.js";
import type { ResolvedCluster } from "../../../engines/spark/sparkConfig.js";
import { ArrowSource } from "../../../engines/worker/arrowSource.js";
import { publishedWorkerPath } from "../../../engines/workerProcess.js";
import type { CellChunk, CellRequest } from "../../cells.js";
import { MissingValues } from "../../cells.js";
import { fault } from "../../fault.js";
import { tablePlace } from "../../place.js";
import type { ColumnKind, ReadOptions, SourceColumn, TableSource } from "../../source.js";
import { csvOptionsOf, type TableConfig } from "../../tableConfig.js";
import { cdmTypes, checkCdmTypes } from "../omop/cdmTypes.js";
import type { OmopOptions } from "../omop/config.js";
import { cdmTablesOf, omopQuery } from "../omop/query.js";
import { sparkOmop } from "./kind.js";

const sparkEncodings = {
  "utf-8": "UTF-8",
  "windows-1252": "windows-1252",
  "latin-1": "ISO-8859-1",
  "utf-16": "UTF-16",
  "utf-16le": "UTF-16LE",
  "utf-16be": "UTF-16BE",
} as const;

/**
 * The place of a Spark table, for the driver; the agent's own words for encodings are Spark's in other letters. Of an OMOP CDM it
 * is what a study's feature plan makes of it.
 * @throws ConsiliumError OMOP_PLAN_MISSING
 */
export function placeIn(config: TableConfig, study: Pick<Study, "omop"> | null): object {
  const { spark, omop } = config;
  if (omop !== undefined) return placeOfPlan(config, omop, study);
  if (spark?.csv === undefined) return spark ?? {};
  const {
    delimiter = spark.csv.toLowerCase().endsWith(".tsv") ? "\t" : ",",
    names,
    encoding,
  } = csvOptionsOf(config);
  return { csv: spark.csv, delimiter, names: names ?? null, encoding: sparkEncodings[encoding] };
}

/** A plan's query; its columns are called as the study has them, and the CDM's tables are those of the catalogue or views of files. */
function placeOfPlan(config: TableConfig, omop: OmopOptions, study: Pick<Study, "omop"> | null): object {
  const query = omopQuery(config, omop, study, sparkOmop);
  const tables = cdmTablesOf(query).map(({ name }) => name);
  const schemaOf = (name: string) =>
    (name === "concept_ancestor" ? omop.vocabularySchema : undefined) ?? omop.schema;
  return {
    query: `${query.with}\n${query.select}`,
    columns: query.columns,
    ...(omop.spark === "catalog"
      ? { tables: tables.map((name) => [schemaOf(name), name].filter(Boolean).join(".")) }
      : { views: Object.fromEntries(tables.map((name) => [name, `${omop.spark}/${name}`])) }),
  };
}

/** The cluster of a table's engine. */
export function clusterOf({ name, cluster }: TableConfig): ResolvedCluster {
  if (cluster !== undefined) return cluster;
  throw fault("CONFIG_INVALID", "spark.no-engine", { place: tablePlace(name) });
}

/** The same for a study's stages: an application has the worker of one kind of methods. */
export function clusterFor(config: TableConfig, { variant }: Pick<Study, "variant">): ResolvedCluster {
  const cluster = clusterOf(config);
  const { program = asBuilt } = cluster;
  if (variant !== "paper") return cluster;
  return { ...cluster, program: { ...program, worker: program.published ?? publishedWorkerPath } };
}

/** Spark's words for types: `DataType.simpleString`. */
export function kindOfSpark(type: string): ColumnKind {
  if (/^(?:tinyint|smallint|int|bigint|float|double|decimal\(.*\))$/.test(type)) return "number";
  if (/^(?:string|char|varchar)\b/.test(type)) return "text";
  if (type === "timestamp" || type === "timestamp_ntz") return "timestamp";
  if (type === "boolean" || type === "date" || type === "binary") return type;
  return "nested";
}

export const columnsOf = (fields: readonly (readonly [name: string, type: string])[]): SourceColumn[] =>
  fields.map(([name, type]) => ({ name, kind: kindOfSpark(type), nameIsSchema: true }));

/** A table on a cluster that the agent reads itself, row by row: for its profile, and where a study asks for no privacy. */
export class SparkSource implements TableSource {
  readonly #config: TableConfig;
  readonly #study: Pick<Study, "omop"> | null;
  #fields: [string, string][] = [];

  /** @param study - whose feature plan an OMOP table is read by; null: nobody reads it yet */
  constructor(config: TableConfig, study: Pick<Study, "omop"> | null = null) {
    this.#config = config;
    this.#study = study;
  }

  async columns(): Promise<readonly SourceColumn[]> {
    this.#fields = await columnsIn(this.#config, this.#study);
    return columnsOf(this.#fields);
  }

  async *read(
    _: string,
    requests: readonly CellRequest[],
    { signal, malformed }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    const config = this.#config;
    const missing = new MissingValues(config.nullValues);
    const columns = requests.map((request) => this.#fields.findIndex(([name]) => name === request.name));
    const asked = { do: "read", table: placeIn(config, this.#study), columns };
    const answers = applications.use(clusterOf(config), null, (application) => application.ask(asked));
    for await (const { message, bytes } of answers) {
      signal?.throwIfAborted();
      if (bytes.length > 0) {
        yield* new ArrowSource(once(bytes), missing).read("", requests, { signal });
        continue;
      }
      const { malformed: rows } = z.object({ malformed: z.int().min(1) }).parse(message);
      if (malformed === undefined)
        throw fault("TABLE_UNREADABLE", "spark.fields", { place: tablePlace(config.name), rows });
      malformed.rows += rows;
    }
  }
}

export async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** Names and types of the columns. @throws ConsiliumError COLUMN_TYPE for an OMOP CDM whose own columns have other types than its DDL's */
export async function fieldsOf(
  application: SparkApplication,
  config: TableConfig,
  study: Pick<Study, "omop"> | null,
): Promise<[string, string][]> {
  const place = placeIn(config, study);
  const { name, omop } = config;
  if (omop !== undefined) {
    const types = cdmTypes(omopQuery(config, omop, study, sparkOmop), omop);
    const columns = types.columns.map((column) => column.name);
    const own = columnsOf(await application.columns({ ...place, query: types.select, columns }));
    checkCdmTypes(
      name,
      types,
      own.map(({ kind }) => kind),
    );
  }
  return application.columns(place);
}

/** The same in a running application, and once more in a new one where that ended meanwhile: a record of another's study may end it. */
async function columnsIn(
  config: TableConfig,
  study: Pick<Study, "omop"> | null,
  isAgain = false,
): Promise<[string, string][]> {
  let used: SparkApplication | null = null;
  const asked = applications.use(clusterOf(config), null, async function* (application) {
    used = application;
    yield await fieldsOf(application, config, study);
  });
  try {
    for await (const fields of asked) return fields;
    return [];
  } catch (thrown) {
    if (isAgain || used === null || !(used as SparkApplication).isOver) throw thrown;
    return columnsIn(config, study, true);
  }
}
