import { resolve } from "node:path";
import { unwrap } from "@consilium/core/result";
import { parseDatabaseUrl } from "@consilium/runtime/postgres/address";
import { firstLine } from "@consilium/runtime/postgres/connectOptions";
import { z } from "zod";
import { columnName } from "../../fileConfig.js";
import { databases } from "../registry.js";
import type { DatabaseKind, DatabasePlace, Elsewhere, SourceKind } from "../sourceKind.js";
import { sqlQuery } from "./queryTableConfig.js";

/** The databases of a hospital, as its site's configuration names them. */

export type DatabaseName = keyof typeof databases;
export const databaseNames = Object.keys(databases) as DatabaseName[];

/** The same of each kind. */
function ofEach<T>(of: (kind: DatabaseKind, name: DatabaseName) => T): Readonly<Record<DatabaseName, T>> {
  return Object.fromEntries(databaseNames.map((name) => [name, of(databases[name], name)])) as never;
}

/** A file whose first line is the password, relative to the configuration file. */
const passwordFile = z.string().min(1).max(1_000);

/**
 * Address without a password in it, and the password's file; TLS with every check unless the host is this machine. The address's
 * parameter for a file of authorities is relative to the configuration file.
 */
function placeShape({ address, passwords }: DatabaseKind) {
  const url = z
    .string()
    .max(1_000)
    .superRefine((text, context) => {
      const parsed = parseDatabaseUrl(text, address);
      if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.error.describe() });
    });
  // Its type is one for all kinds; a kind without other passwords requires it.
  const file =
    passwords === undefined ? (passwordFile as never as z.ZodOptional<z.ZodString>) : passwordFile.optional();
  return { url, passwordFile: file };
}

/** Where an `omop:` entry is, by its key. */
export const databasePlaces = ofEach((kind) => z.strictObject(placeShape(kind)).optional());

/** A table that is one query, by the entry's key. */
const databaseQuery = (kind: DatabaseKind) =>
  z.strictObject({
    ...placeShape(kind),
    /** One SELECT; its columns are the table's. */
    query: sqlQuery,
    /**
     * Columns that put the rows into one order; with a key, row numbers in messages can be found again. Default: where the
     * kind orders rows all the columns that a study reads, else none.
     */
    orderBy: z.array(columnName).min(1).max(100).optional(),
  });

/** At most one of them is there. */
type Places<P extends DatabasePlace = DatabasePlace> = { readonly [name in DatabaseName]?: P | undefined };

/** The database that an entry names, or null. */
export function namedDatabase<P extends DatabasePlace>(
  entry: Places<P>,
): { readonly name: DatabaseName; readonly place: P } | null {
  for (const name of databaseNames) {
    const place = entry[name];
    if (place !== undefined) return { name, place };
  }
  return null;
}

/** A place with its paths made absolute. */
export function resolvePlace<P extends DatabasePlace>(
  place: P,
  { address }: DatabaseKind,
  folder: string,
): P {
  const [base, query] = place.url.split("?", 2) as [string, string?];
  const parameters = new URLSearchParams(query);
  const file = parameters.get(address.caParameter);
  if (file !== null) parameters.set(address.caParameter, resolve(folder, file));
  const passwordFile = place.passwordFile && resolve(folder, place.passwordFile);
  return { ...place, url: query === undefined ? base : `${base}?${parameters}`, passwordFile };
}

export const addressOf = ({ url }: DatabasePlace, { address }: DatabaseKind) =>
  unwrap(parseDatabaseUrl(url, address));

/** Of a kind that requires its file. @throws ConsiliumError CONFIG_INVALID */
export function passwordOf({ passwordFile }: DatabasePlace): string {
  if (passwordFile === undefined) throw new RangeError("the database needs a password file");
  return firstLine(passwordFile);
}

/** Password and authorities of a place. */
export function filesOfPlace(place: DatabasePlace, kind: DatabaseKind): string[] {
  const files = [place.passwordFile ?? kind.passwords?.file(), addressOf(place, kind).caFile];
  return files.filter((file) => typeof file === "string");
}

export function databaseId(place: DatabasePlace, name: DatabaseName): Elsewhere {
  const { host, port, database } = addressOf(place, databases[name]);
  return { kind: "database", id: `${name}\n${host.toLowerCase()}\n${port}\n${database}` };
}

/** Tables that are one query, by the key of their entry. */
export const databaseTables = ofEach(
  (kind, name): SourceKind<z.output<ReturnType<typeof databaseQuery>>> => ({
    entry: databaseQuery(kind),
    resolve: (place, folder) => resolvePlace(place, kind, folder),
    files: () => [],
    beside: (place) => filesOfPlace(place, kind),
    elsewhere: (place) => databaseId(place, name),
  }),
);
