import { databaseSource } from "../../data/databaseSource.js";
import { sharedPostgres } from "../../data/postgresSource.js";
import { run } from "./run.js";

/** The reader of a database. It opens one connection at a time, to the hospital's server, and may read no file but its own. */

await run(({ table, database }) => {
  if (database === null) throw new RangeError("a table of files has readers of its own");
  return databaseSource(table, sharedPostgres(database), database.query);
});
