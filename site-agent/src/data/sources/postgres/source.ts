import { unwrap } from "@consilium/core/result";
import { parsePostgresUrl } from "@consilium/runtime/postgres/address";
import {
  type PostgresConnectOptions,
  postgresConnectOptions,
} from "@consilium/runtime/postgres/connectOptions";
import type { ColumnKind } from "../../source.js";
import { type QueryDatabase, tryWith } from "../shared/databaseSource.js";
import { sqlName } from "../shared/sqlText.js";
import type { DatabasePlace } from "../sourceKind.js";
import { openDatabase } from "./connection.js";

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
 * A hospital's PostgreSQL database: each reading is one read-only transaction at REPEATABLE READ, and rows come by a
 * cursor.
 */
export function postgresDatabase(place: DatabasePlace): QueryDatabase<number> {
  return postgresOf(async () => openDatabase(connectOptionsOf(place)));
}

/** What is needed to read a snapshot in another process. */
export interface SharedConnection {
  readonly options: PostgresConnectOptions;
  readonly snapshot: string;
}

/** One state of a database, which other connections of the same server read. */
export function sharedPostgres({ options, snapshot }: SharedConnection): QueryDatabase<number> {
  return {
    ...postgresOf(() => openDatabase(options, snapshot)),
    shared: {
      hash(columns) {
        // Of the whole row; a column may be called q.
        const row = columns === null ? "(q.*)" : `ROW(${columns.map((column) => `q.${column}`).join(", ")})`;
        return `hashtextextended(${row}::text COLLATE "C", 0)`;
      },
      isLost: (code) => lostSnapshots.has(code),
    },
  };
}

/** SQLSTATEs of snapshots that are not there. */
const lostSnapshots: ReadonlySet<string | null> = new Set(["22023", "42704", "55000"]);

/** @throws ConsiliumError CONFIG_INVALID */
export const connectOptionsOf = ({ url, passwordFile }: DatabasePlace): PostgresConnectOptions =>
  postgresConnectOptions(unwrap(parsePostgresUrl(url)), {
    passwordFile: passwordFile ?? null,
    application: "consilium site",
  });

function postgresOf(open: QueryDatabase<number>["open"]): QueryDatabase<number> {
  return {
    open,
    kindOf,
    quote: sqlName,
    cell(column, type, kind) {
      // As text a float32 number would be the shortest decimal that is nearest to it, which is another number.
      if (kind === "number" && type === float32Type) return `${column}::float8`;
      if (kind === "number" && kindOf(type) === "number") return column;
      return `${column}::text COLLATE "C"`;
    },
    codeOf,
    remedy: tryWith("psql"),
  };
}

function codeOf(thrown: unknown): string | null {
  const code = thrown instanceof Error ? Reflect.get(thrown, "code") : undefined;
  return typeof code === "string" && /^[0-9A-Z_]{1,60}$/.test(code) ? code : null;
}
