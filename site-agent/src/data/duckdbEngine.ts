import { stat } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { nameOf } from "@consilium/core/said";
import { Semaphore } from "@consilium/runtime/semaphore";
import type { AnySaid } from "@consilium/words/said";
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBType,
  DuckDBVarCharVector,
  StatementType,
} from "@duckdb/node-api";
import { type CellChunk, type CellRequest, type MissingValues, type TimeRequest, timeCell } from "./cells.js";
import { type TextScan, textFunction } from "./duckdbText.js";
import { fault } from "./fault.js";
import type { ReadLimits, ReadOptions } from "./source.js";
import { sqlName, sqlText } from "./sources/shared/sqlText.js";
import type { TextTable } from "./text/textBlock.js";

/**
 * DuckDB, embedded, for one pass over a file. Nothing is spilled to disk, no extension is fetched, and its error
 * messages, which quote records, go no further than `describeFault`.
 */

/**
 * How far a streamed result may run ahead. Parallel decoding keeps the order of rows by holding back what comes
 * early; with DuckDB's default of 1 MB its threads wait for each other and CSV reads at half the speed.
 */
const streamingBufferMb = 64;
/** One thread has nothing to wait for, and memory that is used again is faster than more of it. */
const ownBufferMb = 4;

/**
 * DuckDB works on 2048 rows of all columns at a time, several times over in a conversion: 16 KiB a column each.
 * Measured at 10,000 columns: 512 MB do not suffice, 1 GB does with one thread.
 */
const memoryPerColumnMb = 0.128;
const columnsPerThreadMax = 4000;

function limitsForWidth(limits: ReadLimits, columns: number): ReadLimits {
  return {
    threads: columns > columnsPerThreadMax ? 1 : limits.threads,
    memoryLimitMb: Math.max(limits.memoryLimitMb, Math.ceil(columns * memoryPerColumnMb)),
  };
}

/**
 * A statement over text keeps one of the four threads by which Node reads files until it has rows, and its rows come from what
 * they read. Two statements at once leave two threads for that, however many studies read.
 */
const overText = new Semaphore(2);

interface ResultColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/** What statements may read, and what their faults are called. */
export interface Sealing {
  /** Absolute paths without `*`, `?` and `[`, which would stand for other files. */
  readonly files: readonly string[];
  /** A ConsiliumError for a fault of DuckDB's, without a value of a record; left out, `describeFault`. */
  readonly faultOf?: (thrown: unknown, place: AnySaid, limits: ReadLimits) => ConsiliumError;
}

type FaultOf = NonNullable<Sealing["faultOf"]>;

export class DuckDbEngine {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #limits: ReadLimits;
  readonly #faultOf: FaultOf;
  readonly #scans: TextScan[] = [];
  #readsText = false;

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    limits: ReadLimits,
    faultOf: FaultOf,
  ) {
    this.#instance = instance;
    this.#connection = connection;
    this.#limits = limits;
    this.#faultOf = faultOf;
  }

  /**
   * @param columns - of the file to be read: a very wide one needs more memory, whatever its number of rows
   * @param sealing - no other file can be read from then on, and no setting be changed
   */
  static async open(stated: ReadLimits, columns = 0, sealing: Sealing | null = null): Promise<DuckDbEngine> {
    const limits = limitsForWidth(stated, columns);
    const instance = await DuckDBInstance.create(":memory:", {
      threads: String(limits.threads),
      memory_limit: `${limits.memoryLimitMb}MB`,
      temp_directory: "",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
    });
    const connection = await instance.connect();
    const bufferMb = limits.threads === 1 ? ownBufferMb : streamingBufferMb;
    await connection.run(`SET streaming_buffer_size = '${Math.min(bufferMb, limits.memoryLimitMb / 4)}MB'`);
    await connection.run("SET preserve_insertion_order = true");
    if (sealing !== null) {
      if (sealing.files.some((path) => /[*?[]/.test(path)))
        throw new RangeError("a path that is a pattern seals nothing");
      await connection.run(`SET allowed_paths = [${sealing.files.map(sqlText).join(", ")}]`);
      await connection.run("SET enable_external_access = false");
    }
    await connection.run("SET lock_configuration = true");
    return new DuckDbEngine(instance, connection, limits, sealing?.faultOf ?? describeFault);
  }

  close(): void {
    for (const scan of this.#scans) scan.close();
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  /** Runs what may wait for text in its turn. */
  #inTurn<T>(statement: () => Promise<T>): Promise<T> {
    return this.#readsText ? overText.run(statement) : statement();
  }

  /** Runs statements of ours that give no result. */
  async define(statements: readonly string[], place: AnySaid): Promise<void> {
    try {
      for (const statement of statements) await this.#inTurn(() => this.#connection.run(statement));
    } catch (thrown) {
      throw this.#faultOf(thrown, place, this.#limits);
    }
  }

  /** Makes files of text a table of statements. @param options - as those of a source */
  async defineText(name: string, table: TextTable, place: AnySaid, options: ReadOptions): Promise<void> {
    const sizes = await Promise.all(table.files.map((file) => stat(file).catch(() => null)));
    const bytes = sizes.reduce((sum, size) => sum + (size?.size ?? 0), 0);
    const read = `consilium text ${name}`;
    this.#readsText = true;
    this.#connection.registerTableFunction(textFunction({ name: read, table, bytes }, options, this.#scans));
    const columns = table.names.map((column, k) => `c${k} AS ${sqlName(column)}`).join(", ");
    // Where a row is not there, DuckDB's thread waits a moment for what is read, and this one reads.
    const there = "CASE WHEN there THEN true ELSE sleep_ms(1) IS NOT NULL END";
    const view = `CREATE VIEW ${sqlName(name)} AS SELECT ${columns} FROM ${sqlName(read)}() WHERE ${there}`;
    await this.define([view], place);
  }

  /**
   * The columns of a query that is not ours, names as it gives them; the query is planned and not run.
   * @returns null unless it is one SELECT without parameters: other statements would write, even to a file that may be read
   */
  async selectColumns(sql: string, place: AnySaid): Promise<ResultColumn[] | null> {
    try {
      const statements = await this.#connection.extractStatements(sql);
      if (statements.count !== 1) return null;
      const prepared = await statements.prepare(0);
      try {
        if (prepared.statementType !== StatementType.SELECT || prepared.parameterCount > 0) return null;
        return Array.from({ length: prepared.columnCount }, (_, k) => ({
          name: prepared.columnName(k),
          type: prepared.columnType(k),
        }));
      } finally {
        prepared.destroySync();
      }
    } catch (thrown) {
      throw this.#faultOf(thrown, place, this.#limits);
    }
  }

  /** The columns of a query's result; the query is planned and not run. */
  async resultColumns(sql: string, place: AnySaid): Promise<ResultColumn[]> {
    try {
      const result = await this.#connection.stream(`SELECT * FROM (${sql}) LIMIT 0`);
      return result.columnNames().map((name, index) => ({ name, type: result.columnType(index) }));
    } catch (thrown) {
      throw this.#faultOf(thrown, place, this.#limits);
    }
  }

  /** All values of the first column of a small result, which is text. */
  async texts(sql: string, place: AnySaid): Promise<string[]> {
    try {
      const result = await this.#inTurn(() => this.#connection.runAndReadAll(sql));
      return (result.getColumns()[0] ?? []).map(String);
    } catch (thrown) {
      throw this.#faultOf(thrown, place, this.#limits);
    }
  }

  /**
   * Streams a query whose columns are all DOUBLE and never NULL, or text of dates and of what rows are ordered by. The next chunk
   * is decoded while the caller works on this one.
   * @param requests - in the query's order, of which a patient's three columns are the last
   * @param place - the table and file, for messages
   */
  async *cells(
    sql: string,
    {
      place,
      requests,
      missing,
      signal,
    }: {
      readonly place: AnySaid;
      readonly requests: readonly CellRequest[];
      readonly missing: MissingValues;
      readonly signal?: AbortSignal | undefined;
    },
  ): AsyncGenerator<CellChunk> {
    signal?.throwIfAborted();
    const interrupt = () => this.#connection.interrupt();
    signal?.addEventListener("abort", interrupt);
    let pending: Promise<unknown> = Promise.resolve();
    let isLeft = false;
    try {
      const result = await this.#inTurn(async () => {
        signal?.throwIfAborted();
        return this.#connection.stream(sql);
      });
      const fetch = () => this.#inTurn(async () => (isLeft ? null : result.fetchChunk()));
      const width = result.columnCount;
      let next = fetch();
      pending = next;
      for (;;) {
        const chunk = await next;
        if (chunk === null || chunk.rowCount === 0) break;
        next = fetch();
        next.catch(() => undefined); // thrown where it is awaited; an abandoned one is no unhandled rejection
        pending = next;
        const columns = Array.from({ length: width }, (_, k) => {
          const vector = chunk.getColumnVector(k);
          if (!(vector instanceof DuckDBVarCharVector)) return doublesOf(vector);
          return Float64Array.from({ length: vector.itemCount }, (_, r) =>
            timeCell(requests[k] as TimeRequest, vector.getItem(r), missing),
          );
        });
        yield { rows: chunk.rowCount, columns };
        signal?.throwIfAborted();
      }
    } catch (thrown) {
      signal?.throwIfAborted();
      throw (
        this.#scans.find((scan) => scan.thrown !== null)?.thrown ?? this.#faultOf(thrown, place, this.#limits)
      );
    } finally {
      signal?.removeEventListener("abort", interrupt);
      isLeft = true;
      interrupt();
      await pending.catch(() => undefined);
      // Ends the statement's threads, which may wait for text; a connection that is closed would wait for them, and they for us.
      await this.#connection.run("SELECT 1").catch(() => undefined);
    }
  }
}

/**
 * The float64 values behind a DOUBLE vector. `items` is private in the typings and the one way to them without a
 * boxed value per cell; the package's version is pinned and this fails loudly if the field goes.
 */
function doublesOf(vector: object): Float64Array {
  const items: unknown = Reflect.get(vector, "items");
  if (items instanceof Float64Array) return items;
  throw new TypeError("DuckDB returned a column that is not float64");
}

/** Of a text column of Parquet, of which DuckDB takes no page with such a cell. */
export const foreignText = /^Invalid Input Error: Invalid string encoding found in Parquet file/;
export const foreignSaid = "source.foreign-text";

const openFault =
  /^IO Error: (?:Cannot|Could not) (?:open|read from) file ".*": (?:No such file|Permission denied|Input\/output error|Stale file handle|Too many open files)/;

/**
 * A ConsiliumError for a fault of DuckDB's. Its message and properties may quote records, so only what is known to
 * hold none is taken over: the kind of fault and a line number. The thrown error itself is dropped.
 */
export function describeFault(thrown: unknown, place: AnySaid, limits: ReadLimits): ConsiliumError {
  if (thrown instanceof ConsiliumError) return thrown;
  const text = thrown instanceof Error ? thrown.message : "";
  if (thrown instanceof TypeError) {
    return fault("INTERNAL", "source.duckdb-interface", { place });
  }
  if (text.startsWith("Out of Memory Error")) {
    const params = { place, megabytes: limits.memoryLimitMb };
    return fault("TABLE_UNREADABLE", "source.memory", params, "source.more-memory");
  }
  if (foreignText.test(text)) return fault("TABLE_UNREADABLE", foreignSaid, { place }, "source.write-utf8");
  // The path is the hospital's, the rest the system's.
  if (openFault.test(text)) return fault("TABLE_AWAY", "source.not-opened", { place });
  const kind = /^(IO|Invalid Input|Conversion|Binder|Serialization|Invalid|Permission) Error/.exec(text)?.[1];
  const named = kind === undefined ? null : nameOf(kind.toLowerCase());
  return fault("TABLE_UNREADABLE", "source.format", { place, kind: named });
}
