import { readFileSync } from "node:fs";
import { pathOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import type { PostgresAddress } from "./address.js";

/** What the driver `pg` is given: plain values, which a worker thread can be handed. */
export interface PostgresConnectOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Left out, the driver looks into the file that PGPASSFILE names, or `~/.pgpass`. */
  readonly password?: string;
  readonly ssl: false | { readonly ca?: string; readonly rejectUnauthorized: true };
  readonly keepAlive: true;
  readonly connectionTimeoutMillis: number;
  readonly application_name: string;
}

const secretMaxBytes = 64 * 1024;
const connectTimeoutMs = 10_000;

/**
 * Reads password and authorities from their files.
 * @param options.passwordFile - its first line is the password; null: as PGPASSFILE says
 * @param options.application - what the server's list of connections shows
 * @throws ConsiliumError CONFIG_INVALID if one of the files cannot be read
 */
export function postgresConnectOptions(
  address: PostgresAddress,
  options: { readonly passwordFile: string | null; readonly application: string },
): PostgresConnectOptions {
  const { host, port, user, database, tls, caFile } = address;
  return {
    host,
    port,
    user,
    database,
    ...(options.passwordFile !== null && { password: firstLine(options.passwordFile) }),
    ssl: tls === "disable" ? false : { rejectUnauthorized: true, ...(caFile && { ca: readSmall(caFile) }) },
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: options.application,
  };
}

/** A secret from its file. @throws ConsiliumError CONFIG_INVALID */
export function firstLine(path: string): string {
  const line = readSmall(path).split(/\r?\n/, 1)[0]!;
  if (line !== "") return line;
  throw fault("CONFIG_INVALID", "file.no-password", { file: pathOf(path) });
}

/** A small file, such as a certificate. @throws ConsiliumError CONFIG_INVALID */
export function readSmall(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw fault(
      "CONFIG_INVALID",
      "file.unreadable",
      { file: pathOf(path), key: null, code: null },
      { cause },
    );
  }
  if (text.length > secretMaxBytes) throw fault("CONFIG_INVALID", "file.too-large", { file: pathOf(path) });
  return text;
}
