import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { cdmTables } from "../../src/data/sources/omop/query.js";

const types = { id: "bigint", day: "date", time: "timestamp", value: "numeric" } as const;

/** Copies a folder's CDM tables into a schema, with the types that OMOP's DDL has; columns that no plan reads are text. */
export function omopInPostgres(
  server: TestPostgres,
  schema: string,
  folder: string,
  spell: (table: string) => string = (table) => table,
): void {
  server.psql(`CREATE SCHEMA ${schema}`);
  for (const { name, columns } of cdmTables) {
    const file = join(folder, `${spell(name)}.csv`);
    const own = new Map(columns);
    const header = readFileSync(file, "utf8").split(/\r?\n/, 1)[0]!.split(",");
    const declared = header.map((column) => {
      const type = own.get(column);
      return `${column} ${type === undefined ? "text" : types[type]}`;
    });
    server.psql(`CREATE TABLE ${schema}.${name} (${declared.join(", ")})`);
    server.psql(`\\copy ${schema}.${name} FROM '${file}' (FORMAT csv, HEADER)`);
  }
}
