import { ConsiliumError } from "@consilium/core/errors";
import { previewColumnsMax, type ReleaseRows, type ReleaseSample } from "@consilium/core/release/views";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { fileNames } from "../formats/files.js";
import type { Entry } from "./catalogue.js";

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Reads some rows of releases for people to look at: what a browser cannot take out of a Parquet file by itself. Every
 * answer is bounded, and so are DuckDB's threads and memory; reads follow one another.
 */
export class RowPreviews {
  #instance: Promise<DuckDBInstance> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Rows `offset` to `offset + limit`, in the release's order, of its first columns.
   * @throws ConsiliumError RELEASE_UNKNOWN if the release has no rows
   */
  rows(entry: Entry, { offset, limit }: { offset: number; limit: number }): Promise<ReleaseRows> {
    const path = rowsPath(entry);
    const { columns, rows: total } = entry.description;
    const shown = columns.slice(0, previewColumnsMax).map(({ name }) => name);
    return this.#read(async (connection) => {
      const result = await connection.runAndReadAll(
        `SELECT ${shown.map(identifier).join(", ")} FROM read_parquet($path) LIMIT $limit OFFSET $offset`,
        { path, limit, offset },
      );
      const rows = result.getRowsJS() as (number | string | null)[][];
      return { total, offset, columns: shown, columnsLeftOut: columns.length - shown.length, rows };
    });
  }

  /**
   * Two columns of numbers, and one of levels, of at most `limit` rows at even distances, but those that lack a number.
   * @throws ConsiliumError RELEASE_UNKNOWN if the release has no rows, FIELD_INVALID if a column has the wrong type
   */
  sample(
    entry: Entry,
    query: { x: string; y: string; colour?: string | undefined; limit: number },
  ): Promise<ReleaseSample> {
    const path = rowsPath(entry);
    const { columns, rows: total } = entry.description;
    const numbers = [query.x, query.y];
    for (const name of numbers) {
      if (!columns.some((column) => column.name === name && column.type === "number")) {
        throw invalid("x and y must be numeric columns");
      }
    }
    const colour = columns.find((column) => column.name === query.colour && column.type === "level");
    if (query.colour !== undefined && colour === undefined)
      throw invalid("colour must be a categorical column");
    const levels = colour?.type === "level" ? colour.levels : [];
    const step = Math.max(1, Math.ceil(total / query.limit));
    const selected = [...numbers, ...(colour === undefined ? [] : [colour.name])].map(identifier);
    return this.#read(async (connection) => {
      const result = await connection.runAndReadAll(
        `SELECT ${selected.join(", ")} FROM read_parquet($path, file_row_number = true) ` +
          `WHERE file_row_number % $step = 0 AND ${numbers.map((name) => `${identifier(name)} IS NOT NULL`).join(" AND ")} ORDER BY file_row_number`,
        { path, step },
      );
      const rows = result.getRowsJS();
      const indices = new Map(levels.map((level, index) => [level, index]));
      return {
        total,
        levels,
        x: rows.map((row) => row[0] as number),
        y: rows.map((row) => row[1] as number),
        level: colour === undefined ? [] : rows.map((row) => indices.get(row[2] as string) ?? 0),
      };
    });
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    (await this.#instance)?.closeSync();
    this.#instance = undefined;
  }

  #read<T>(read: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const next = this.#last
      .catch(() => undefined)
      .then(async () => {
        this.#instance ??= DuckDBInstance.create(":memory:", {
          threads: "1",
          memory_limit: "512MB",
          autoinstall_known_extensions: "false",
          autoload_known_extensions: "false",
        });
        const connection = await (await this.#instance).connect();
        try {
          return await read(connection);
        } finally {
          connection.closeSync();
        }
      });
    this.#last = next;
    return next;
  }
}

function rowsPath(entry: Entry): string {
  const file = entry.files.get(fileNames.parquet);
  if (file === undefined) throw new ConsiliumError("RELEASE_UNKNOWN", "the release has no rows");
  return file.path;
}

function invalid(what: string): ConsiliumError {
  return new ConsiliumError("FIELD_INVALID", `querystring: ${what}`, {
    remedy: "use names from the release's data dictionary",
  });
}
