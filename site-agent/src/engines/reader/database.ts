import { sharedPostgres } from "../../data/sources/postgres/source.js";
import { databaseSource } from "../../data/sources/shared/databaseSource.js";
import { run } from "./run.js";

/** The reader of a database. It opens one connection at a time, to the hospital's server, and may read no file but its own. */

await run(({ table, database, own, count }, { sum }) => {
  if (database === null) throw new RangeError("a table of files has readers of its own");
  const share = { at: own, of: count, sum };
  return databaseSource(table, sharedPostgres(database), { ...database.query, share });
});
