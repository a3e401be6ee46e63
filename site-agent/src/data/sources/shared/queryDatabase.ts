import type { DatabaseKind, DatabasePlace } from "./databaseConfig.js";
import type { QueryDatabase } from "./databaseSource.js";

/** What opens a database. The code of each kind is loaded where such a table is read. */
export async function queryDatabase(
  kind: DatabaseKind,
  { url, passwordFile }: DatabasePlace,
): Promise<QueryDatabase<number> | QueryDatabase<string>> {
  if (kind === "postgres") {
    const { postgresDatabase } = await import("../postgres/source.js");
    return postgresDatabase({ url, passwordFile });
  }
  if (passwordFile === undefined) throw new RangeError("the database needs a password file");
  if (kind === "sqlserver") {
    const { sqlServerDatabase } = await import("../sqlserver/source.js");
    return sqlServerDatabase({ url, passwordFile });
  }
  const { oracleDatabase } = await import("../oracle/source.js");
  return oracleDatabase({ url, passwordFile });
}
