import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { quoted } from "@consilium/core/text";
import { type PostgresAddress, parsePostgresUrl } from "@consilium/runtime/postgres/address";
import { postgresConnectOptions } from "@consilium/runtime/postgres/connectOptions";
import {
  type CellChunk,
  type CellRequest,
  levelCell,
  MissingValues,
  numberCell,
  numberFromText,
  orderOf,
  trimBlanks,
} from "./cells.js";
import { patientParts } from "./patientHash.js";
import { type DatabaseCell, openDatabase, withDatabase } from "./postgresConnection.js";
import type { ColumnKind, ReadOptions, SourceColumn, TableSource } from "./source.js";
import { sqlName } from "./sqlText.js";
import type { PostgresOptions, TableConfig } from "./tableConfig.js";

/** Rows fetched at a time: what is in memory of a table, however long it is. */
const chunkRows = 2048;

/** PostgreSQL's numbers of its own types (pg_type.dat). */
const kinds = new Map<number, ColumnKind>([
  [16, "boolean"],
  ...[20, 21, 23, 26, 700, 701, 1700].map((type) => [type, "number"] as const),
  ...[18, 19, 25, 1042, 1043, 2950].map((type) => [type, "text"] as const),
  [1082, "date"],
  [1083, "time"],
  [1266, "time"],
  [1114, "timestamp"],
  [1184, "timestamp"],
  [17, "binary"],
  [114, "nested"],
  [3802, "nested"],
]);
const float32Type = 700;
/** From here on types are the database's own: enumerations, domains. They are read as text. */
const firstOwnType = 16_384;

const kindOf = (type: number): ColumnKind => kinds.get(type) ?? (type >= firstOwnType ? "text" : "nested");

/**
 * The result of a query in the hospital's PostgreSQL database.
 *
 * Each reading is one read-only transaction at REPEATABLE READ: one state of the database, whatever is written
 * meanwhile. Rows come by a cursor, in the order of `orderBy`, or else of the cells that are asked for, so that the same
 * data have the same content hash.
 */
export class PostgresSource implements TableSource {
  readonly #name: string;
  readonly #options: PostgresOptions;
  readonly #missing: MissingValues;

  constructor(config: TableConfig, options: PostgresOptions) {
    this.#name = config.name;
    this.#options = options;
    this.#missing = new MissingValues(config.nullValues);
  }

  async columns(): Promise<readonly SourceColumn[]> {
    return this.#guard(() =>
      withDatabase(this.#connect(), async (database) => {
        const columns = await database.columns(this.#query);
        return columns.map(({ name, type }) => ({ name, kind: kindOf(type), nameIsSchema: true }));
      }),
    );
  }

  async *read(
    _: string,
    requests: readonly CellRequest[],
    { signal }: ReadOptions,
  ): AsyncGenerator<CellChunk> {
    signal?.throwIfAborted();
    const database = await this.#guard(() => openDatabase(this.#connect()));
    try {
      const types = new Map(
        (await this.#guard(() => database.columns(this.#query))).map(({ name, type }) => [name, type]),
      );
      const typeOfRequest = ({ name }: CellRequest) => types.get(name) ?? firstOwnType;
      const kindOfRequest = (request: CellRequest) => kindOf(typeOfRequest(request));
      const convert = requests.map((request) => this.#converter(request, kindOfRequest(request)));
      const widths = requests.map(({ kind }) => (kind === "patient" ? patientParts.length : 1));
      const rows = database.rows(this.#sql(requests, typeOfRequest), chunkRows);
      for (;;) {
        const next = await this.#guard(() => rows.next());
        if (next.done === true) return;
        signal?.throwIfAborted();
        yield { rows: next.value.length, columns: decode(next.value, convert, widths) };
      }
    } finally {
      await database.close();
    }
  }

  get #query(): string {
    return this.#options.query.replace(/[\s;]+$/, "");
  }

  #connect() {
    const address: PostgresAddress = unwrap(parsePostgresUrl(this.#options.url));
    const { passwordFile = null } = this.#options;
    return postgresConnectOptions(address, { passwordFile, application: "consilium site" });
  }

  /** Numbers as they are, everything else as text; ordered so that equal tables come equal. */
  #sql(requests: readonly CellRequest[], typeOfRequest: (request: CellRequest) => number): string {
    const cells = requests.map((request) => {
      const column = sqlName(request.name);
      const type = typeOfRequest(request);
      // As text a float32 number would be the shortest decimal that is nearest to it, which is another number.
      if (request.kind === "number" && type === float32Type) return `${column}::float8`;
      if (request.kind === "number" && kindOf(type) === "number") return column;
      return `${column}::text COLLATE "C"`;
    });
    const order = this.#options.orderBy?.map(sqlName) ?? cells.map((_, i) => String(i + 1));
    return `SELECT ${cells.map((cell, i) => `${cell} AS c${i}`).join(", ")} FROM (${this.#query}\n) AS source
      ORDER BY ${order.join(", ")}`;
  }

  #converter(request: CellRequest, kind: ColumnKind): (value: DatabaseCell) => number | readonly number[] {
    const missing = this.#missing;
    switch (request.kind) {
      case "patient": {
        const { hash } = request;
        return (value) => hash.parts(kind === "number" && value === "NaN" ? null : value);
      }
      case "number":
        return (value) => {
          if (value === null) return numberCell.missing;
          if (kind === "number" && value === "NaN")
            return missing.nan ? numberCell.missing : numberCell.notFinite;
          const text = trimBlanks(value);
          return missing.texts.has(text) ? numberCell.missing : numberFromText(text);
        };
      case "order":
        return (value) => orderOf(value, missing);
      case "level": {
        const { levels } = request;
        return (value) => (value === null ? levelCell.missing : levels.code(trimBlanks(value)));
      }
    }
  }

  /** The driver's and the server's messages may quote data: only their code is passed on, with what it means. */
  async #guard<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (thrown) {
      if (thrown instanceof ConsiliumError) throw thrown;
      const raw = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
      const code = typeof raw === "string" && /^[0-9A-Z_]{1,60}$/.test(raw) ? raw : null;
      const what = (code === null ? undefined : meanings.get(code)) ?? "the database does not give it";
      throw new ConsiliumError(
        "TABLE_UNREADABLE",
        `table ${quoted(this.#name)}: ${what}${code === null ? "" : ` (${code})`}`,
        { remedy: "try the table's query with psql, as the same user and from the same machine" },
      );
    }
  }
}

/** SQLSTATEs (PostgreSQL's documentation, appendix A) and system errors that a hospital is likely to meet. */
const meanings = new Map([
  ["28P01", "the database refuses user or password"],
  ["28000", "the database refuses user or password"],
  ["3D000", "there is no such database"],
  ["42P01", "the query names a table that is not there"],
  ["42703", "the query, or orderBy, names a column that is not there"],
  ["42601", "the query is not understood"],
  ["42501", "the user may not read what the query names"],
  ["25006", "the query would write"],
  ["57014", "the query took too long"],
  ["57P01", "the database is being shut down"],
  ["57P03", "the database is starting"],
  ["ECONNREFUSED", "no database answers at the address"],
  ["ENOTFOUND", "the database's host name is unknown"],
  ["ETIMEDOUT", "no database answers at the address"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "the database's certificate is not of the authority that sslrootcert names"],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "the database's certificate is not of the authority that sslrootcert names",
  ],
  [
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "the database's certificate is not of the authority that sslrootcert names",
  ],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "the database's certificate is for another host name"],
]);

function decode(
  rows: readonly (readonly DatabaseCell[])[],
  convert: readonly ((value: DatabaseCell) => number | readonly number[])[],
  widths: readonly number[],
): Float64Array[] {
  const columns: Float64Array[] = [];
  convert.forEach((cellOf, k) => {
    const made = Array.from({ length: widths[k]! }, () => new Float64Array(rows.length));
    rows.forEach((row, r) => {
      const cell = cellOf(row[k]!);
      if (typeof cell === "number") made[0]![r] = cell;
      else for (let part = 0; part < cell.length; part++) made[part]![r] = cell[part]!;
    });
    columns.push(...made);
  });
  return columns;
}
