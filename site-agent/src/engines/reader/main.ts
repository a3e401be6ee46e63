import { CsvSource } from "../../data/sources/csv/source.js";
import { JsonLinesSource } from "../../data/sources/jsonl/source.js";
import { ParquetSource } from "../../data/sources/parquet/source.js";
import { run } from "./run.js";

/** The reader of files. It opens no connection. */

const sources = { csv: CsvSource, parquet: ParquetSource, jsonl: JsonLinesSource };

await run(({ table, format }, { limits }) => {
  if (format === "postgres") throw new RangeError("a database has readers of its own");
  return new sources[format](table, limits);
});
