import { isIP } from "node:net";
import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";

/** Where a PostgreSQL database is and as whom it is used, without any secret. */
export interface PostgresAddress {
  /** A host name, an IP address, or the absolute path of a folder with a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** `verify-full`: encrypted, the server's certificate and host name checked. */
  readonly tls: "verify-full" | "disable";
  /** Path of the PEM file with the authorities that may certify the server; null: those that Node.js trusts. */
  readonly caFile: string | null;
}

const example = "postgres://user@host:5432/database";
const settings = new Set(["host", "sslmode", "sslrootcert"]);

/**
 * Reads `postgres://user@host:port/database`, with `?sslmode=verify-full|disable`, `?sslrootcert=<file>` and
 * `?host=<folder>` for a Unix socket. TLS is checked fully unless the server is on this machine or `sslmode=disable`
 * says otherwise. There is no way to encrypt without knowing to whom.
 *
 * @returns the address, or CONFIG_INVALID that repeats nothing of the text: someone may have put a password into it
 */
export function parsePostgresUrl(text: string): Result<PostgresAddress, ConsiliumError> {
  if (!/^postgres(?:ql)?:\/\//.test(text)) return fault("is not a PostgreSQL address");
  // Without a host the parser takes no user either; a socket's folder comes as a parameter.
  const local = text.replace(/^(postgres(?:ql)?:\/\/(?:[^/@]*@)?)(?=\/)/, "$1localhost");
  if (!URL.canParse(local)) return fault("is not a PostgreSQL address");
  const url = new URL(local);
  if (url.password !== "") return fault("contains a password: put it into a separate file, or PGPASSFILE");
  for (const name of url.searchParams.keys()) {
    if (!settings.has(name))
      return fault("has an unknown parameter; allowed are host, sslmode and sslrootcert");
  }
  const [database, user, named] = [url.pathname.replace(/^\//, ""), url.username, url.hostname].map(
    decoded,
  ) as [string, string, string];
  if (database === "" || database.includes("/") || user === "") return fault("has no user or no database");
  const host = url.searchParams.get("host") ?? named.replace(/^\[|\]$/g, "");
  if (host === "") return fault("has no host");
  const sslmode = url.searchParams.get("sslmode") ?? (isThisMachine(host) ? "disable" : "verify-full");
  if (sslmode !== "verify-full" && sslmode !== "disable") {
    return fault("has an sslmode other than verify-full and disable");
  }
  return ok({
    host,
    port: url.port === "" ? 5432 : Number(url.port),
    user,
    database,
    tls: sslmode,
    caFile: url.searchParams.get("sslrootcert"),
  });
}

/** For messages: without the user. */
export function describePostgres(address: PostgresAddress): string {
  const host = isIP(address.host) === 6 ? `[${address.host}]` : address.host;
  return `database ${address.database} at ${host.startsWith("/") ? host : `${host}:${address.port}`}`;
}

/** Without the %-escapes; nothing where they are none. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("/") || /^127\.[0-9.]+$/.test(host);
}

function fault(what: string): Result<never, ConsiliumError> {
  return err(
    new ConsiliumError("CONFIG_INVALID", `the database address ${what}`, { remedy: `write ${example}` }),
  );
}
