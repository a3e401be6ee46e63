import { ConsiliumError } from "@consilium/core/errors";
import { quoted } from "@consilium/core/text";
import { z } from "zod";
import type { CellChunk, CellRequest } from "../../data/cells.js";
import { MissingValues } from "../../data/cells.js";
import type { ColumnKind, ReadOptions, SourceColumn, TableSource } from "../../data/source.js";
import { csvOptionsOf, type TableConfig } from "../../data/tableConfig.js";
import { ArrowSource } from "../worker/arrowSource.js";
import { applications } from "./applications.js";
import type { ResolvedCluster } from "./sparkConfig.js";

/** Of a Spark table where it is, for the driver; the agent's own words for encodings are Spark's in other letters. */
export function placeIn(config: TableConfig): object {
  const { spark } = config;
  if (spark?.csv === undefined) return spark ?? {};
  const {
    delimiter = spark.csv.toLowerCase().endsWith(".tsv") ? "\t" : ",",
    names,
    encoding,
  } = csvOptionsOf(config);
  const encodings = { "utf-8": "UTF-8", "latin-1": "ISO-8859-1", "utf-16": "UTF-16" } as const;
  return { csv: spark.csv, delimiter, names: names ?? null, encoding: encodings[encoding] };
}

/** The cluster of a table's engine. */
export function clusterOf({ name, cluster }: TableConfig): ResolvedCluster {
  if (cluster !== undefined) return cluster;
  throw new ConsiliumError("CONFIG_INVALID", `table ${quoted(name)}: its engine is not one of Spark`);
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
  #fields: [string, string][] = [];

  constructor(config: TableConfig) {
    this.#config = config;
  }

  async columns(): Promise<readonly SourceColumn[]> {
    this.#fields = await columnsIn(this.#config);
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
    const asked = { do: "read", table: placeIn(config), columns };
    const answers = applications.use(clusterOf(config), null, (application) => application.ask(asked));
    for await (const { message, bytes } of answers) {
      signal?.throwIfAborted();
      if (bytes.length > 0) {
        yield* new ArrowSource(once(bytes), missing).read("", requests, { signal });
        continue;
      }
      const { malformed: rows } = z.object({ malformed: z.int().min(1) }).parse(message);
      if (malformed === undefined)
        throw new ConsiliumError(
          "TABLE_UNREADABLE",
          `table ${quoted(config.name)}: ${rows} or more rows have another number of fields than the first row`,
        );
      malformed.rows += rows;
    }
  }
}

export async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

async function columnsIn(config: TableConfig): Promise<[string, string][]> {
  const asked = applications.use(clusterOf(config), null, async function* (application) {
    yield await application.columns(placeIn(config));
  });
  for await (const fields of asked) return fields;
  return [];
}
