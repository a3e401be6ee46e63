import type { ConsiliumError } from "@consilium/core/errors";
import { nameOf } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import { type CellChunk, type CellRequest, MissingValues } from "../../cells.js";
import { cellSql, levelCoder } from "../../duckdbCells.js";
import { DuckDbEngine, describeFault, foreignText } from "../../duckdbEngine.js";
import { shapeOf } from "../../duckdbTypes.js";
import { fault } from "../../fault.js";
import { ofOneState } from "../../files.js";
import { shown, tablePlace } from "../../place.js";
import type { ReadLimits, ReadOptions, SourceColumn, TableSource } from "../../source.js";
import type { TableConfig } from "../../tableConfig.js";
import type { TextTable } from "../../text/textBlock.js";
import { sqlName, sqlText } from "./sqlText.js";

/** What a query is answered from. */
export interface QueryInput {
  /** Absolute paths of all files that it may read. */
  readonly files: readonly string[];
  /** Those of text, by what definitions call them; DuckDB reads the others itself. */
  readonly texts: ReadonlyMap<string, TextTable>;
  /**
   * The statements that define the tables which the query names.
   * @param skip - whether values that are not as declared are left out
   */
  definitions(skip: boolean): readonly string[];
  readonly query: string;
  /** What the messages mean that definitions give to DuckDB's `error`; they hold no value. */
  readonly faults?: ReadonlyMap<string, ConsiliumError>;
}

/**
 * The result of one SELECT over named local files, in a DuckDB that can read these files and nothing else. Each reading is
 * of one state of the files, or ends with TABLE_CHANGED: rows joined from two states would be of neither.
 */
export class QuerySource implements TableSource {
  readonly #place: AnySaid;
  readonly #input: QueryInput;
  readonly #limits: ReadLimits;
  readonly #missing: MissingValues;

  constructor(config: TableConfig, input: QueryInput, limits: ReadLimits) {
    this.#place = tablePlace(config.name);
    this.#input = { ...input, query: input.query.replace(/[\s;]+$/, "") };
    this.#limits = limits;
    this.#missing = new MissingValues(config.nullValues);
  }

  async columns(): Promise<readonly SourceColumn[]> {
    const engine = await this.#open(0, { malformed: { rows: 0 } });
    try {
      const columns = await this.#columns(engine);
      return columns.map(({ name, type }) => ({ name, nameIsSchema: true, kind: shapeOf(type).kind }));
    } finally {
      engine.close();
    }
  }

  read(_: string, requests: readonly CellRequest[], options: ReadOptions): AsyncGenerator<CellChunk> {
    return ofOneState(this.#input.files, this.#place, options.signal, () => this.#read(requests, options));
  }

  async *#read(requests: readonly CellRequest[], options: ReadOptions): AsyncGenerator<CellChunk> {
    const { signal } = options;
    const engine = await this.#open(requests.length, options);
    try {
      const shapes = new Map(
        (await this.#columns(engine)).map(({ name, type }) => [name, shapeOf(type).shape]),
      );
      const cells = requests.map((request) =>
        cellSql(request, sqlName(request.name), shapes.get(request.name)!, this.#missing),
      );
      const sql = `SELECT ${cells.join(", ")} FROM (${this.#input.query}\n) AS source`;
      const coded = levelCoder(requests);
      const reading = { place: this.#place, requests, missing: this.#missing, signal };
      for await (const chunk of engine.cells(sql, reading)) yield coded(chunk);
    } finally {
      engine.close();
    }
  }

  /** DuckDB with the tables that the query names. */
  async #open(columns: number, options: ReadOptions): Promise<DuckDbEngine> {
    const { files: all, texts, definitions, query } = this.#input;
    const place = this.#place;
    const ours = new Set([...texts.values()].flatMap(({ files }) => files));
    const files = all.filter((file) => !ours.has(file));
    const faultOf = (thrown: unknown, where: AnySaid, limits: ReadLimits) =>
      this.#ownFault(thrown) ?? describeQueryFault(thrown, where, limits, query);
    const engine = await DuckDbEngine.open(this.#limits, columns, { files, faultOf });
    try {
      for (const [name, table] of texts) await engine.defineText(name, table, place, options);
      await engine.define(definitions(options.malformed !== undefined), place);
      return engine;
    } catch (thrown) {
      engine.close();
      throw thrown;
    }
  }

  /** @throws ConsiliumError QUERY_INVALID */
  async #columns(engine: DuckDbEngine) {
    const { query } = this.#input;
    const place = this.#place;
    const columns = await engine.selectColumns(query, place);
    const [text = "{}"] = await engine.texts(`SELECT json_serialize_sql(${sqlText(query)})`, place);
    const tree: unknown = JSON.parse(text);
    // What DuckDB gives no tree of cannot be looked through.
    if (columns === null || (tree as { readonly error?: boolean }).error !== false) {
      throw fault("QUERY_INVALID", "query.no-select", { place }, "query.write-select");
    }
    const failing = [...new Set(failingParts(tree))];
    if (failing.length > 0) {
      const parts = failing.map(nameOf);
      throw fault("QUERY_INVALID", "query.may-fail", { place, parts }, "query.try-cast");
    }
    return columns;
  }

  #ownFault(thrown: unknown): ConsiliumError | null {
    const text = thrown instanceof Error ? thrown.message : "";
    for (const [message, error] of this.#input.faults ?? []) if (text.includes(message)) return error;
    return null;
  }
}

/** `query` would hide others in a text. */
const failingFunctions: ReadonlySet<string> = new Set(["error", "strptime", "query"]);

/**
 * What ends the reading at a value that does not fit: of a study that hides tables no record may. DuckDB itself refuses to
 * compare text with numbers, so that casts are explicit.
 * @param node - of the tree that `json_serialize_sql` gives
 */
function failingParts(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(failingParts);
  if (typeof node !== "object" || node === null) return [];
  const { class: kind, try_cast, cast_type, function_name } = node as Readonly<Record<string, unknown>>;
  const parts = Object.values(node).flatMap(failingParts);
  if (kind === "FUNCTION" && failingFunctions.has(String(function_name))) parts.push(`${function_name}()`);
  if (kind === "CAST" && try_cast === false && readsColumn(node)) {
    const { id } = cast_type as { readonly id: string };
    if (id !== "VARCHAR") parts.push(`CAST to ${id}`);
  }
  return parts;
}

function readsColumn(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  return Reflect.get(node, "class") === "COLUMN_REF" || Object.values(node).some(readsColumn);
}

/** Kinds of DuckDB's faults that the query's text causes, whatever the records are. */
const textFaults =
  /^(?:Failed to extract statements: )?(Parser|Syntax|Catalog|Binder|Not implemented|Parameter Not Resolved) Error/;
/** Kinds that a value causes. */
const valueFaults =
  /^(Conversion|Out of Range|Invalid Input|Mismatch Type|Constraint|Invalid Type|Divide by Zero|Decimal|Overflow) Error/;

/** A ConsiliumError for a fault of DuckDB's in a query that a hospital wrote; as `describeFault`, nothing of a record is in it. */
export function describeQueryFault(
  thrown: unknown,
  place: AnySaid,
  limits: ReadLimits,
  query: string,
): ConsiliumError {
  const text = thrown instanceof Error ? thrown.message : "";
  const ofText = textFaults.exec(text)?.[1];
  if (ofText !== undefined) {
    const line = /^LINE (\d{1,6}):/m.exec(text)?.[1];
    const named = /(?:column|Table with name|Function with name) "?([A-Za-z_][A-Za-z0-9_]{0,63})"?/.exec(
      text,
    )?.[1];
    // Only what the hospital wrote itself is repeated.
    const params = {
      place,
      kind: nameOf(ofText.toLowerCase()),
      line: line === undefined ? null : Number(line),
      named: named !== undefined && query.includes(named) ? shown(named) : null,
    };
    return fault("QUERY_INVALID", "query.not-accepted", params, "query.try-duckdb");
  }
  if (text.startsWith("Out of Memory Error")) {
    const params = { place, megabytes: limits.memoryLimitMb };
    return fault("TABLE_UNREADABLE", "query.memory", params, "query.fewer-columns");
  }
  if (text.startsWith("Permission Error"))
    return fault("QUERY_INVALID", "query.other-files", { place }, "query.name-files");
  const ofValue = foreignText.test(text) ? undefined : valueFaults.exec(text)?.[1];
  if (ofValue !== undefined) {
    const kind = nameOf(ofValue.toLowerCase());
    return fault("QUERY_FAILED", "query.failed", { place, kind }, "query.compare-cast");
  }
  return describeFault(thrown, place, limits);
}
