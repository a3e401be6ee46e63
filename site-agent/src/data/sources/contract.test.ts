import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import Database from "libsql";
import {
  type ContractStore,
  type ContractTable,
  sourceContract,
} from "../../../testing/data/sourceContract.js";
import { csvText, duckdb, jsonLines, temporaryFolder } from "../../../testing/data/writeTable.js";
import { sqlName, sqlText } from "./shared/sqlText.js";

const folder = temporaryFolder();
let files = 0;
const fileOf = (ending: string) => join(folder, `${files++}${ending}`);
const asText = ({ columns, rows }: ContractTable) => ({ names: columns.map(({ name }) => name), rows });

const sqlTypes = {
  whole: "BIGINT",
  decimal: "DECIMAL(10,2)",
  double: "DOUBLE",
  day: "DATE",
  text: "VARCHAR",
};
const values = ({ rows }: ContractTable) =>
  rows.map((row) => `(${row.map((cell) => (cell === null ? "NULL" : sqlText(cell))).join(", ")})`).join(", ");
const declared = ({ columns }: ContractTable, types: Readonly<Record<string, string>>) =>
  columns.map(({ name, type }) => `${sqlName(name)} ${types[type]}`).join(", ");

const stored =
  (write: (table: ContractTable) => Promise<object> | object) => async (): Promise<ContractStore> => ({
    write: async (table) => write(table),
  });

const parquetOf = async (table: ContractTable) => {
  const path = fileOf(".parquet");
  await duckdb([
    `CREATE TABLE t (${declared(table, sqlTypes)})`,
    `INSERT INTO t VALUES ${values(table)}`,
    `COPY t TO ${sqlText(path)} (FORMAT parquet)`,
  ]);
  return path;
};

sourceContract(
  "csv",
  stored((table) => {
    const path = fileOf(".csv");
    writeFileSync(path, csvText(asText(table)));
    return { path };
  }),
);

sourceContract(
  "parquet",
  stored(async (table) => ({ path: await parquetOf(table) })),
);

sourceContract(
  "jsonl",
  stored((table) => {
    const path = fileOf(".jsonl");
    writeFileSync(path, jsonLines(asText(table)));
    return { path };
  }),
);

sourceContract(
  "sqlite",
  stored((table) => {
    const path = fileOf(".db");
    const database = new Database(path);
    const types = { whole: "INTEGER", decimal: "TEXT", double: "REAL", day: "TEXT", text: "TEXT" };
    database.exec(`CREATE TABLE records (${declared(table, types)})`);
    database.exec(`INSERT INTO records VALUES ${values(table)}`);
    database.close();
    return { path };
  }),
);

sourceContract(
  "duckdb",
  stored(async (table) => ({
    duckdb: { files: { records: await parquetOf(table) }, query: "SELECT * FROM records" },
  })),
);

const programs = postgresPrograms();
sourceContract(
  "postgres",
  programs === null
    ? null
    : async () => {
        const server = await TestPostgres.start(programs, {});
        const types = { ...sqlTypes, double: "DOUBLE PRECISION" };
        let tables = 0;
        return {
          async write(table) {
            const name = `t${tables++}`;
            server.psql(`CREATE TABLE ${name} (${declared(table, types)})`);
            // An argument of a program is 128 KiB at most.
            for (let at = 0; at < table.rows.length; at += 1_000) {
              const some = values({ ...table, rows: table.rows.slice(at, at + 1_000) });
              server.psql(`INSERT INTO ${name} VALUES ${some}`);
            }
            return { postgres: { url: server.url(), query: `SELECT * FROM ${name}` } };
          },
          async connections() {
            return Number(
              server.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'consilium site'"),
            );
          },
          remove: async () => server.remove(),
        };
      },
);
