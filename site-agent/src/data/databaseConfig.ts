import { resolve } from "node:path";
import { unwrap } from "@consilium/core/result";
import { parsePostgresUrl } from "@consilium/runtime/postgres/address";
import { z } from "zod";
import type { TableConfig } from "./tableConfig.js";

/** The databases of a hospital, as its site's configuration names them. */

export const postgresPlace = {
  /**
   * `postgres://user@host:port/database`, without a password; TLS with every check unless the host is this machine.
   * `?sslrootcert=<file>` names the authority, relative to the configuration file.
   */
  url: z
    .string()
    .max(1_000)
    .superRefine((url, context) => {
      const parsed = parsePostgresUrl(url);
      if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.error.describe() });
    }),
  /** A file whose first line is the password, relative to the configuration file; left out, PGPASSFILE counts. */
  passwordFile: z.string().min(1).max(1_000).optional(),
};

/** What a table of one query says besides where its database is. */
export const oneQuery = {
  /** One SELECT; its columns are the table's. */
  query: z.string().min(1, "a query is needed").max(100_000),
  /**
   * Columns that put the rows into one order; with a key, row numbers in messages can be found again. Default: of
   * PostgreSQL all the columns that a study reads, else none.
   */
  orderBy: z.array(z.string().min(1).max(128)).min(1).max(100).optional(),
};

/** The entry's connection with its paths made absolute. */
export function resolvePostgresPlace<P extends { url: string; passwordFile?: string | undefined }>(
  place: P,
  folder: string,
): P {
  const [base, query] = place.url.split("?", 2) as [string, string?];
  const parameters = new URLSearchParams(query);
  const ca = parameters.get("sslrootcert");
  if (ca !== null) parameters.set("sslrootcert", resolve(folder, ca));
  return {
    ...place,
    url: query === undefined ? base : `${base}?${parameters}`,
    ...(place.passwordFile !== undefined && { passwordFile: resolve(folder, place.passwordFile) }),
  };
}

/** Where a table's database is, whichever way the entry names it. */
export interface DatabaseAddress {
  /** As it is called in messages. */
  readonly product: "PostgreSQL";
  /** A socket's folder for a database on this machine. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly isEncrypted: boolean;
}

/** Null for a table of files. */
export function databaseOf({
  postgres,
  omop,
}: Pick<TableConfig, "postgres" | "omop">): DatabaseAddress | null {
  const place = postgres ?? omop?.postgres;
  if (place === undefined) return null;
  const { host, port, database, tls } = unwrap(parsePostgresUrl(place.url));
  return { product: "PostgreSQL", host, port, database, isEncrypted: tls !== "disable" };
}
