import { mkdir, rm } from "node:fs/promises";
import { releaseRowBytes } from "@consilium/core/release/content";
import type { ResultTable } from "@consilium/core/release/tables";
import {
  DOUBLE,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBDoubleVector,
  DuckDBInstance,
  DuckDBTableFunction,
  type DuckDBType,
  DuckDBVarCharVector,
  VARCHAR,
} from "@duckdb/node-api";
import { type DepositedRows, isMissingIn, placeColumns, RowReader } from "./rows.js";

/** DuckDB's vectors hold at most so many rows. */
const vectorRows = 2048;
/** A row group is kept whole in memory while it is written, about so many bytes of it. */
const rowGroupBytes = 32 * 1024 * 1024;

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Writes a table of results from its CSV file, which DuckDB is told the types of: an empty cell is null.
 * @param scratch - as `writeParquet`
 */
export async function writeTableParquet(
  columns: ResultTable["columns"],
  { csv, parquet, scratch }: { readonly csv: string; readonly parquet: string; readonly scratch: string },
): Promise<void> {
  const types = columns
    .map(({ name, type }) => `${literal(name)}: '${type === "number" ? "DOUBLE" : "VARCHAR"}'`)
    .join(", ");
  const read =
    `read_csv(${literal(csv)}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', ` +
    `new_line = '\\r\\n', nullstr = '', columns = {${types}})`;
  await withDuckDb(scratch, (connection) =>
    connection.run(
      `COPY (SELECT * FROM ${read}) TO ${literal(parquet)} (FORMAT parquet, COMPRESSION snappy)`,
    ),
  );
}

/**
 * Writes data.parquet: number columns as DOUBLE, null where a value is missing, level columns as text, rows in their order. DuckDB pulls the rows
 * block by block from the deposited file, so that memory does not grow with it.
 * @param scratch - a folder that DuckDB may write to; it is removed
 */
export async function writeParquet(data: DepositedRows, path: string, scratch: string): Promise<void> {
  const reader = new RowReader(data, vectorRows);
  try {
    await withDuckDb(scratch, async (connection) => {
      connection.registerTableFunction(depositedFunction(data, reader));
      const columns = data.columns.map((column, index) => `c${index} AS ${identifier(column.name)}`);
      const groupRows = Math.floor(rowGroupBytes / releaseRowBytes(data.columns));
      // A multiple of the vector's rows, as DuckDB wants it.
      const groupSize = Math.min(60, Math.max(1, Math.floor(groupRows / vectorRows))) * vectorRows;
      await connection.run(
        `COPY (SELECT ${columns.join(", ")} FROM deposited()) TO ${literal(path)} ` +
          `(FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${groupSize})`,
      );
    });
  } finally {
    reader.close();
  }
}

async function withDuckDb(
  scratch: string,
  use: (connection: DuckDBConnection) => Promise<unknown>,
): Promise<void> {
  await mkdir(scratch, { recursive: true });
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: "1GB",
    temp_directory: scratch,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  try {
    const connection = await instance.connect();
    try {
      await use(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The table function `deposited()`: columns c0, c1, … in the order of the release's. */
function depositedFunction(data: DepositedRows, reader: RowReader): DuckDBTableFunction {
  const placed = placeColumns(data.columns);
  const types: DuckDBType[] = data.columns.map((column) => (column.type === "number" ? DOUBLE : VARCHAR));
  const rowBytes = releaseRowBytes(data.columns);
  const fill = (chunk: DuckDBDataChunk): void => {
    const { view, count } = reader.read();
    chunk.rowCount = count;
    if (count === 0) return;
    for (let index = 0; index < placed.length; index++) {
      const { column, offset } = placed[index]!;
      const vector = chunk.getColumnVector(index);
      if (column.type === "number" && vector instanceof DuckDBDoubleVector) {
        for (let row = 0; row < count; row++) {
          const value = view.getFloat64(row * rowBytes + offset, true);
          vector.setItem(row, isMissingIn(column, value) ? null : value);
        }
      } else if (column.type === "level" && vector instanceof DuckDBVarCharVector) {
        for (let row = 0; row < count; row++) {
          vector.setItem(row, column.levels[view.getUint16(row * rowBytes + offset, true)]!);
        }
      } else {
        throw new RangeError("a vector does not have its column's type");
      }
      vector.flush();
    }
  };
  return DuckDBTableFunction.create({
    name: "deposited",
    bindFunction: (info) => {
      types.forEach((type, index) => {
        info.addResultColumn(`c${index}`, type);
      });
      info.setCardinality(data.rows, true);
    },
    // Rows come from one file in one order: one thread asks for them.
    initFunction: (info) => info.setMaxThreads(1),
    mainFunction: (info, chunk) => {
      try {
        fill(chunk);
      } catch {
        info.setError("cannot read the deposited rows");
      }
    },
  });
}
