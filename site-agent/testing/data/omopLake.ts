import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cdmTables } from "../../src/data/sources/omop/query.js";
import { duckdb } from "./writeTable.js";

const types = { id: "BIGINT", day: "DATE", time: "TIMESTAMP", value: "DECIMAL(30, 10)" } as const;

/** Writes a folder's CDM tables as a lake has them: of each table a folder of typed Parquet files. @param lake - a new folder */
export async function omopInLake(
  folder: string,
  lake: string,
  spell: (table: string) => string = (table) => table,
): Promise<void> {
  await duckdb(
    cdmTables.map(({ name, columns }) => {
      mkdirSync(join(lake, name), { recursive: true });
      const cells = columns.map(([column, type]) => `TRY_CAST(${column} AS ${types[type]}) AS ${column}`);
      const source = `read_csv('${join(folder, `${spell(name)}.csv`)}', header = true, all_varchar = true)`;
      return `COPY (SELECT ${cells.join(", ")} FROM ${source}) TO '${join(lake, name)}/part-0.parquet' (FORMAT parquet)`;
    }),
  );
}
