import { resolve } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { type Result, unwrap } from "@consilium/core/result";
import { type DatabaseAddress, parsePostgresUrl } from "@consilium/runtime/postgres/address";
import { z } from "zod";
import { columnName } from "../../fileConfig.js";
import { parseOracleUrl, parseSqlServerUrl } from "./databaseAddress.js";
import { sqlQuery } from "./queryTableConfig.js";

/** The databases of a hospital, as its site's configuration names them. */

/** An address, without a password in it. */
const address = (parse: (url: string) => Result<unknown, ConsiliumError>) =>
  z
    .string()
    .max(1_000)
    .superRefine((url, context) => {
      const parsed = parse(url);
      if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.error.describe() });
    });

/** A file whose first line is the password, relative to the configuration file. */
const passwordFile = z.string().min(1).max(1_000);

/**
 * `postgres://user@host:port/database`, without a password; TLS with every check unless the host is this machine.
 * `?sslrootcert=<file>` names the authority, relative to the configuration file. Without `passwordFile`, PGPASSFILE counts.
 */
const postgresPlace = { url: address(parsePostgresUrl), passwordFile: passwordFile.optional() };
/** `sqlserver://user@host:port/database`, with the parameters of PostgreSQL's addresses. */
const sqlServerPlace = { url: address(parseSqlServerUrl), passwordFile };
/** `oracle://user@host:port/service`, with `?sslmode=`, and `?wallet=<file>` for authorities of the hospital's own. */
const oraclePlace = { url: address(parseOracleUrl), passwordFile };

/** By the entry's key. */
export const databasePlaces = {
  postgres: z.strictObject(postgresPlace),
  sqlserver: z.strictObject(sqlServerPlace),
  oracle: z.strictObject(oraclePlace),
};

export const databaseKinds = ["postgres", "sqlserver", "oracle"] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** What a table of one query says besides where its database is. */
const oneQuery = {
  /** One SELECT; its columns are the table's. */
  query: sqlQuery,
  /**
   * Columns that put the rows into one order; with a key, row numbers in messages can be found again. Default: of
   * PostgreSQL all the columns that a study reads, else none.
   */
  orderBy: z.array(columnName).min(1).max(100).optional(),
};

/** A table that is one query, by the entry's key. */
export const databaseQueries = {
  postgres: z.strictObject({ ...postgresPlace, ...oneQuery }),
  sqlserver: z.strictObject({ ...sqlServerPlace, ...oneQuery }),
  oracle: z.strictObject({ ...oraclePlace, ...oneQuery }),
};

export interface DatabasePlace {
  readonly url: string;
  readonly passwordFile?: string | undefined;
}
/** At most one of them is there. */
type Places<P extends DatabasePlace = DatabasePlace> = { readonly [kind in DatabaseKind]?: P | undefined };

/** The database that an entry names, or null. */
export function namedDatabase<P extends DatabasePlace>(
  entry: Places<P>,
): { readonly kind: DatabaseKind; readonly place: P } | null {
  for (const kind of databaseKinds) {
    const place = entry[kind];
    if (place !== undefined) return { kind, place };
  }
  return null;
}

/** The entry with its databases' paths made absolute. */
export function resolveDatabases<E extends Places>(entry: E, folder: string): E {
  const named = namedDatabase(entry);
  if (named === null) return entry;
  const { kind, place } = named;
  const [base, query] = place.url.split("?", 2) as [string, string?];
  const parameters = new URLSearchParams(query);
  for (const parameter of ["sslrootcert", "wallet"]) {
    const file = parameters.get(parameter);
    if (file !== null) parameters.set(parameter, resolve(folder, file));
  }
  const resolved = {
    ...place,
    url: query === undefined ? base : `${base}?${parameters}`,
    ...(place.passwordFile !== undefined && { passwordFile: resolve(folder, place.passwordFile) }),
  };
  return { ...entry, [kind]: resolved };
}

const parsers = { postgres: parsePostgresUrl, sqlserver: parseSqlServerUrl, oracle: parseOracleUrl };

/** As they are called in messages. */
const products = { postgres: "PostgreSQL", sqlserver: "SQL Server", oracle: "Oracle" } as const;

/** Where a table's database is, whichever way the entry names it. */
export interface TableDatabase extends DatabaseAddress {
  readonly kind: DatabaseKind;
  readonly product: (typeof products)[DatabaseKind];
}

/** Null for a table of files. */
export function databaseOf(entry: Places & { readonly omop?: Places | undefined }): TableDatabase | null {
  const named = namedDatabase(entry) ?? namedDatabase(entry.omop ?? {});
  if (named === null) return null;
  const { kind, place } = named;
  return { ...unwrap(parsers[kind](place.url)), kind, product: products[kind] };
}
