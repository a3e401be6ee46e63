import { CsvSource } from "../../data/csvSource.js";
import { JsonLinesSource } from "../../data/jsonLinesSource.js";
import { ParquetSource } from "../../data/parquetSource.js";
import { run } from "./run.js";

/** The reader of files. It opens no connection. */

const sources = { csv: CsvSource, parquet: ParquetSource, jsonl: JsonLinesSource };

await run(({ table, format }, { limits }) => {
  if (format === "postgres") throw new RangeError("a database has readers of its own");
  return new sources[format](table, limits);
});
