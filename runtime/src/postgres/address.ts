import { isIP } from "node:net";
import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import { listed } from "@consilium/core/words";

/** Where a database is and as whom it is used, without any secret. */
export interface DatabaseAddress {
  /** A host name, an IP address, or of PostgreSQL the absolute path of a folder with a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** `verify-full`: encrypted, the server's certificate and host name checked. */
  readonly tls: "verify-full" | "disable";
  /** Path of the PEM file with the authorities that may certify the server; null: those that Node.js trusts. */
  readonly caFile: string | null;
}

export type PostgresAddress = DatabaseAddress;

/** How a product's addresses are written. */
export interface AddressForm {
  readonly product: string;
  readonly scheme: RegExp;
  readonly example: string;
  readonly port: Readonly<Record<DatabaseAddress["tls"], number>>;
  /** The parameter that names the file with the authorities. */
  readonly caParameter: string;
  readonly hasSockets: boolean;
}

export const postgresForm: AddressForm = {
  product: "PostgreSQL",
  scheme: /^postgres(?:ql)?:\/\//,
  example: "postgres://user@host:5432/database",
  port: { "verify-full": 5432, disable: 5432 },
  caParameter: "sslrootcert",
  hasSockets: true,
};

/**
 * Reads `postgres://user@host:port/database`, with `?sslmode=verify-full|disable`, `?sslrootcert=<file>` and
 * `?host=<folder>` for a Unix socket. TLS is checked fully unless the server is on this machine or `sslmode=disable`
 * says otherwise. There is no way to encrypt without knowing to whom.
 *
 * @returns the address, or CONFIG_INVALID that repeats nothing of the text: someone may have put a password into it
 */
export function parsePostgresUrl(text: string): Result<PostgresAddress, ConsiliumError> {
  return parseDatabaseUrl(text, postgresForm);
}

/** As `parsePostgresUrl`, for the products that write addresses in the same way. */
export function parseDatabaseUrl(text: string, form: AddressForm): Result<DatabaseAddress, ConsiliumError> {
  const { product, scheme, example, caParameter, hasSockets } = form;
  const fault = (what: string) => addressFault(what, example);
  if (!scheme.test(text)) return fault(`is not ${article(product)} ${product} address`);
  // Without a host the parser takes no user either; a socket's folder comes as a parameter.
  const local = text.replace(/^([a-z]+:\/\/(?:[^/@]*@)?)(?=\/)/, "$1localhost");
  if (!URL.canParse(local)) return fault(`is not ${article(product)} ${product} address`);
  const url = new URL(local);
  if (url.password !== "") {
    const other = hasSockets ? ", or PGPASSFILE" : "";
    return fault(`contains a password: put it into a separate file${other}`);
  }
  const settings = [...(hasSockets ? ["host"] : []), "sslmode", caParameter];
  for (const name of url.searchParams.keys()) {
    if (!settings.includes(name)) return fault(`has an unknown parameter; allowed are ${listed(settings)}`);
  }
  const [database, user, named] = [url.pathname.replace(/^\//, ""), url.username, url.hostname].map(
    decoded,
  ) as [string, string, string];
  if (database === "" || database.includes("/") || user === "") return fault("has no user or no database");
  const host = (hasSockets ? url.searchParams.get("host") : null) ?? named.replace(/^\[|\]$/g, "");
  if (host === "") return fault("has no host");
  const sslmode = url.searchParams.get("sslmode") ?? (isThisMachine(host) ? "disable" : "verify-full");
  if (sslmode !== "verify-full" && sslmode !== "disable") {
    return fault("has an sslmode other than verify-full and disable");
  }
  return ok({
    host,
    port: url.port === "" ? form.port[sslmode] : Number(url.port),
    user,
    database,
    tls: sslmode,
    caFile: url.searchParams.get(caParameter),
  });
}

/** Before a product's name. */
export function article(product: string): string {
  return /^[AEIO]/.test(product) ? "an" : "a";
}

/** For messages: without the user. */
export function describeDatabase(address: DatabaseAddress): string {
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

function addressFault(what: string, example: string): Result<never, ConsiliumError> {
  return err(
    new ConsiliumError("CONFIG_INVALID", `the database address ${what}`, { remedy: `write ${example}` }),
  );
}
