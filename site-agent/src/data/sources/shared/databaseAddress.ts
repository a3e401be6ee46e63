import { type AddressForm, parseDatabaseUrl } from "@consilium/runtime/postgres/address";

const sqlServer: AddressForm = {
  product: "SQL Server",
  scheme: /^sqlserver:\/\//,
  example: "sqlserver://user@host:1433/database",
  port: { "verify-full": 1433, disable: 1433 },
  caParameter: "sslrootcert",
  hasSockets: false,
};

const oracle: AddressForm = {
  product: "Oracle",
  scheme: /^oracle:\/\//,
  example: "oracle://user@host:2484/service",
  port: { "verify-full": 2484, disable: 1521 },
  caParameter: "wallet",
  hasSockets: false,
};

/** Reads `sqlserver://user@host:port/database`, with `?sslmode=` and `?sslrootcert=` as PostgreSQL's addresses have. */
export const parseSqlServerUrl = (text: string) => parseDatabaseUrl(text, sqlServer);

/** Reads `oracle://user@host:port/service`, with `?sslmode=` as PostgreSQL's addresses and `?wallet=<ewallet.pem>`. */
export const parseOracleUrl = (text: string) => parseDatabaseUrl(text, oracle);
