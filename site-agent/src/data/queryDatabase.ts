import type { DatabaseKind, DatabasePlace } from "./databaseConfig.js";
import type { QueryDatabase } from "./databaseSource.js";
import { postgresDatabase } from "./postgresSource.js";

/** What opens a database. SQL Server's and Oracle's code is loaded where such a table is read. */
export async function queryDatabase(
  kind: DatabaseKind,
  { url, passwordFile }: DatabasePlace,
): Promise<QueryDatabase<number> | QueryDatabase<string>> {
  if (kind === "postgres") return postgresDatabase({ url, passwordFile });
  if (passwordFile === undefined) throw new RangeError("the database needs a password file");
  if (kind === "sqlserver") {
    const { sqlServerDatabase } = await import("./sqlServerSource.js");
    return sqlServerDatabase({ url, passwordFile });
  }
  const { oracleDatabase } = await import("./oracleSource.js");
  return oracleDatabase({ url, passwordFile });
}
