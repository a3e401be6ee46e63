import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { personColumn } from "@consilium/core/omop/plan";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { parseStudy } from "@consilium/methods/testing/studies";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mariaDbProgram, TestMariaDb, testPassword } from "../../../../testing/data/mariadb.js";
import { type HandRow, readCdm, rowsByHand } from "../../../../testing/data/omopByHand.js";
import { fullPlan, omopStudy } from "../../../../testing/data/omopPlans.js";
import { sourceContract } from "../../../../testing/data/sourceContract.js";
import { writeSyntheticCdm } from "../../../../testing/data/syntheticCdm.js";
import { temporaryFolder } from "../../../../testing/data/writeTable.js";
import { type CellRequest, LevelIndex, levelCell, MissingValues, numberCell } from "../../cells.js";
import { openSource } from "../../openSource.js";
import { type TableConfig, tableConfigSchema } from "../../tableConfig.js";
import { cdmTables } from "../omop/query.js";
import { cellText, connectOptions } from "./connection.js";

const program = mariaDbProgram();
const sqlTypes = {
  whole: "BIGINT",
  decimal: "DECIMAL(10,2)",
  double: "DOUBLE",
  day: "DATE",
  text: "LONGTEXT",
} as const;
const sqlText = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

sourceContract(
  "MariaDB",
  program === null
    ? null
    : async () => {
        const server = await TestMariaDb.start(program);
        let tables = 0;
        return {
          async write({ columns, rows }) {
            const name = `clinic.t${tables++}`;
            const declared = columns.map((column) => `\`${column.name}\` ${sqlTypes[column.type]}`);
            await server.sql(`CREATE TABLE ${name} (${declared.join(", ")})`);
            for (let at = 0; at < rows.length; at += 2_000) {
              const values = rows
                .slice(at, at + 2_000)
                .map((row) => `(${row.map((cell) => (cell === null ? "NULL" : sqlText(cell))).join(", ")})`);
              await server.sql(`INSERT INTO ${name} VALUES ${values.join(", ")}`);
            }
            return {
              mariadb: {
                url: server.url(),
                passwordFile: server.passwordFile,
                query: `SELECT * FROM ${name}`,
              },
            };
          },
          renamed: (entry) => entry,
          async lose() {
            await server.stop();
            await server.run();
          },
          async connections() {
            const own = await server.connect();
            try {
              const rows = await own.query(
                "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE user = 'consilium'",
              );
              return Number(rows[0].n);
            } finally {
              await own.end();
            }
          },
          remove: () => server.remove(),
        };
      },
);

const { missing, notNumeric } = numberCell;
const number = (name: string): CellRequest => ({ kind: "number", name });
const level = (name: string, levels: string[]): CellRequest => ({
  kind: "level",
  name,
  levels: new LevelIndex({ name, levels }, new MissingValues([])),
});

describe.skipIf(program === null)("a query in MariaDB", () => {
  const folder = temporaryFolder();
  let server: TestMariaDb;
  const certificate = {
    key: join(folder, "server.key"),
    file: join(folder, "server.crt"),
    other: join(folder, "other.crt"),
  };
  beforeAll(async () => {
    const make = (subject: string, key: string, out: string) =>
      execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", subject,
        "-keyout", key, "-out", out, "-addext", "subjectAltName=IP:127.0.0.1"], { stdio: "pipe" }); // biome-ignore format: one command
    make("/CN=127.0.0.1", certificate.key, certificate.file);
    make("/CN=other", join(folder, "other.key"), certificate.other);
    server = await TestMariaDb.start(program!, [
      `--ssl-cert=${certificate.file}`,
      `--ssl-key=${certificate.key}`,
    ]);
  }, 120_000);
  afterAll(() => server?.remove());

  const table = (query: string, more: object = {}, url = server.url()): TableConfig =>
    tableConfigSchema.parse({
      name: "records",
      mariadb: { url, passwordFile: server.passwordFile, query, ...more },
    });
  const read = async (config: TableConfig, requests: readonly CellRequest[]) => {
    const { source, files } = await openSource(config);
    const columns: number[][] = [];
    for await (const chunk of source.read(files[0]!, requests, {}))
      chunk.columns.forEach((column, k) => {
        columns[k] = [...(columns[k] ?? []), ...column];
      });
    return columns;
  };
  const kindsOf = async (config: TableConfig) => {
    const { source, files } = await openSource(config);
    return Object.fromEntries((await source.columns(files[0]!)).map(({ name, kind }) => [name, kind]));
  };
  const asked = async (config: TableConfig) => {
    const { source, files } = await openSource(config);
    return source.columns(files[0]!);
  };

  test("has the kinds and the cells of each type, bit by bit", async () => {
    await server.sql(
      `CREATE TABLE clinic.types (tiny TINYINT, flag BOOLEAN, wide BIGINT UNSIGNED, money DECIMAL(38,10), single FLOAT, dbl DOUBLE,
         one BIT(1), bits BIT(12), day DATE, at DATETIME(6), stamp TIMESTAMP(3) NULL, clock TIME, born YEAR, grade ENUM('A','b'),
         several SET('x','y'), bytes VARBINARY(9), latin VARCHAR(20) CHARACTER SET latin1, note TEXT, extra JSON, place POINT, padded INT(5) ZEROFILL)`,
      "SET SESSION time_zone = '+02:00'",
      `INSERT INTO clinic.types VALUES (-7, TRUE, 18446744073709551615, 12345678901234567890.0000000001, 0.1, 0.1, b'1', b'100000000001',
         '2020-02-29', '2020-02-29 10:11:12.500000', '2020-02-29 10:11:12.250', '10:11:12', 1999, 'b', 'x,y', X'00ff', 'Ärztin', 'a', '{"a":1}', POINT(1,2), 42)`,
    );
    const config = table("SELECT * FROM clinic.types");
    expect(await kindsOf(config)).toEqual({
      tiny: "number",
      flag: "number",
      wide: "number",
      money: "number",
      single: "number",
      dbl: "number",
      one: "boolean",
      bits: "number",
      day: "date",
      at: "timestamp",
      stamp: "timestamp",
      clock: "time",
      born: "number",
      grade: "text",
      several: "text",
      bytes: "binary",
      latin: "text",
      note: "text",
      extra: "text",
      place: "nested",
      padded: "number",
    });
    const numbers = ["tiny", "flag", "wide", "money", "single", "dbl", "bits", "born", "padded"];
    expect((await read(config, numbers.map(number))).flat()).toEqual([
      -7,
      1,
      Number("18446744073709551615"),
      Number("12345678901234567890.0000000001"),
      Math.fround(0.1),
      0.1,
      2049,
      1999,
      42,
    ]);
    const texts: [string, string][] = [
      ["one", "true"],
      ["flag", "1"],
      ["day", "2020-02-29"],
      ["at", "2020-02-29 10:11:12.5"],
      // Of the instant, in UTC.
      ["stamp", "2020-02-29 08:11:12.25"],
      ["grade", "b"],
      ["several", "x,y"],
      ["latin", "Ärztin"],
      ["money", "12345678901234567890.0000000001"],
    ];
    expect(
      (
        await read(
          config,
          texts.map(([name, text]) => level(name, ["other", text])),
        )
      ).flat(),
    ).toEqual(texts.map(() => 1));
  });

  test("takes the day 0000-00-00 for none, a day without a month for no day, and bytes that are no text for no level", async () => {
    await server.sql(
      "SET SESSION sql_mode = ''",
      "CREATE TABLE clinic.strange (id INT, day DATE NOT NULL, at DATETIME, code VARCHAR(9) CHARACTER SET ascii, raw VARBINARY(9))",
      `INSERT INTO clinic.strange VALUES (1, '0000-00-00', '0000-00-00 00:00:00', X'C3A4', X'C328'), (2, '2020-00-00', '2020-01-01 00:00:00', 'a', 'a')`,
    );
    const config = table("SELECT id, day, at, code, CONVERT(raw USING utf8mb4) AS raw FROM clinic.strange", {
      orderBy: ["id"],
    });
    const [codes, raws, dayLevels, at] = await read(config, [
      level("code", ["a", "b"]),
      level("raw", ["a", "b"]),
      level("day", ["2020-00-00", "0000-00-00"]),
      level("at", ["2020-01-01 00:00:00", "0000-00-00 00:00:00"]),
    ]);
    expect(codes![1]).toBe(0);
    expect(raws![1]).toBe(0);
    // No text, and no fault; not a level that is declared.
    for (const cells of [codes!, raws!]) expect(cells[0]! < 0 || Number.isNaN(cells[0]!)).toBe(true);
    expect(dayLevels).toEqual([levelCell.missing, 0]);
    expect(at).toEqual([levelCell.missing, 0]);
    expect(cellText("2020-01-01 10:00:00.000000", "DATETIME")).toBe("2020-01-01 10:00:00");
    expect(cellText("2020-01-01 10:00:00.120300", "TIMESTAMP")).toBe("2020-01-01 10:00:00.1203");
    expect(cellText("2020-01-10", "DATE")).toBe("2020-01-10");
    expect(cellText("1.50", "NEWDECIMAL")).toBe("1.50");
  });

  test("reads one state, whatever is written meanwhile, and cannot write", async () => {
    await server.sql(
      "CREATE TABLE clinic.moving (x DOUBLE)",
      `INSERT INTO clinic.moving SELECT seq FROM clinic.seq_1_to_9000`,
    );
    const { source, files } = await openSource(table("SELECT x FROM clinic.moving"));
    let sum = 0;
    for await (const chunk of source.read(files[0]!, [number("x")], {})) {
      if (sum === 0) await server.sql("UPDATE clinic.moving SET x = x + 1000000");
      for (const x of chunk.columns[0]!) sum += x;
    }
    expect(sum).toBe((9_000 * 9_001) / 2);
  });

  test("has text in a number for no number, and a number where a level is due for its text", async () => {
    const config = table("SELECT 'seven' AS x, 7 AS c UNION ALL SELECT NULL, 8", { orderBy: ["c"] });
    expect(await read(config, [number("x"), level("c", ["8", "7"])])).toEqual([
      [notNumeric, missing],
      [1, 0],
    ]);
  });

  test("says what is wrong by a code, without the server's message", async () => {
    const at = (query: string, url?: string, more: object = {}) => asked(table(query, more, url));
    const cases: [Parameters<typeof at>, RegExp][] = [
      [["SELECT * FROM clinic.nothing"], /names a table that is not there.*ER_NO_SUCH_TABLE/],
      [["SELECT secret FROM clinic.types"], /names a column that is not there/],
      [["SELEKT 1"], /not understood/],
      [["SELECT 1 AS a, 2 AS a"], /two columns of the query have one name/],
      [["SELECT * FROM mysql.global_priv"], /may not read/],
      [["SELECT 1", server.url("other")], /no such database/],
      [["SELECT 1", server.url().replace("consilium@", "nobody@")], /refuses user or password/],
      [["SELECT 1", "mariadb://consilium@127.0.0.1:1/clinic"], /no database answers/],
    ];
    for (const [query, message] of cases) {
      const attempted = at(...query);
      await expect(attempted).rejects.toMatchObject({ code: "TABLE_AWAY" });
      await expect(inEnglish(attempted)).rejects.toThrow(message);
      await expect(attempted).rejects.not.toThrow(new RegExp(testPassword));
    }
    await expect(at("SELECT 1 AS x; DROP TABLE clinic.types")).rejects.toMatchObject({ code: "TABLE_AWAY" });
    await server.sql("SELECT 1 FROM clinic.types");
  });

  test("connects over TLS to a certificate of its authority alone, and never without TLS where it is asked for", async () => {
    const url = (parameters: string) => `${server.url()}?sslmode=verify-full${parameters}`;
    const through = (parameters: string) => asked(table("SELECT 1 AS x", {}, url(parameters)));
    expect(await through(`&sslrootcert=${certificate.file}`)).toHaveLength(1);
    await expect(inEnglish(through(`&sslrootcert=${certificate.other}`))).rejects.toThrow(
      /not of the authority/,
    );
    // Without an authority the driver would sign in first, of a newer server.
    await expect(inEnglish(through(""))).rejects.toThrow(/not of the authority/);
    const { ssl } = connectOptions({
      host: "db.example",
      port: 3306,
      database: "d",
      user: "u",
      password: "p",
      isEncrypted: true,
      caFile: null,
    });
    expect(ssl).toMatchObject({ rejectUnauthorized: true, servername: "db.example" });
  });

  test("has the rows by hand of an OMOP plan, where some events have no day", async () => {
    const cdmFolder = join(folder, "cdm");
    await writeSyntheticCdm(cdmFolder, { seed: 7, persons: 60 });
    const types = { id: "BIGINT UNSIGNED", day: "DATE", time: "DATETIME", value: "DECIMAL(20,6)" } as const;
    const statements = [
      "CREATE DATABASE cdm CHARACTER SET utf8mb4",
      "GRANT SELECT ON cdm.* TO consilium@'127.0.0.1'",
    ];
    for (const { name, columns } of cdmTables) {
      const path = join(cdmFolder, `${name}.csv`);
      const header = readFileSync(path, "utf8").split(/\r?\n/, 1)[0]!.split(",");
      const own = new Map(columns);
      const declared = header.map((column) => {
        const type = own.get(column);
        return `${column} ${type === undefined ? "TEXT" : types[type]}`;
      });
      statements.push(
        `CREATE TABLE cdm.${name} (${declared.join(", ")})`,
        `LOAD DATA INFILE '${path}' INTO TABLE cdm.${name} FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\n'
           IGNORE 1 LINES (${header.map((_, k) => `@c${k}`).join(", ")}) SET ${header.map((column, k) => `${column} = NULLIF(@c${k}, '')`).join(", ")}`,
      );
    }
    await server.sql(...statements);
    const plan = fullPlan();
    const study = unwrap(parseStudy(omopStudy(plan)));
    const config = tableConfigSchema.parse({
      name: "cohort",
      omop: { mariadb: { url: server.url(), passwordFile: server.passwordFile }, schema: "cdm" },
    });
    const rowsNow = async () => {
      const { source, files } = await openSource(config, study);
      const requests = [
        ...plan.columns.map(({ name, value }) =>
          value === "sex" ? level(name, ["female", "male"]) : number(name),
        ),
        number(personColumn),
      ];
      const rows = new Map<string, HandRow>();
      for await (const chunk of source.read(files[0]!, requests, {}))
        for (let r = 0; r < chunk.rows; r++) {
          const cells = plan.columns.map(({ name, value }, k) => {
            const cell = chunk.columns[k]![r]!;
            if (value === "sex") return [name, cell === 0 ? "female" : cell === 1 ? "male" : null] as const;
            return [name, Object.is(cell, missing) || Number.isNaN(cell) ? null : cell] as const;
          });
          rows.set(String(chunk.columns.at(-1)![r]), Object.fromEntries(cells) as HandRow);
        }
      return rows;
    };
    const expected = rowsByHand(plan, readCdm(cdmFolder));
    expect(expected.size).toBeGreaterThan(10);
    expect(await rowsNow()).toEqual(expected);
    // Events on no day, and on the first and last that there are, are nobody's index and in nobody's window.
    await server.sql(
      "SET SESSION sql_mode = ''",
      "INSERT INTO cdm.condition_occurrence (condition_occurrence_id, person_id, condition_concept_id, condition_start_date) SELECT 900000 + person_id, person_id, condition_concept_id, '0000-00-00' FROM cdm.condition_occurrence",
      "INSERT INTO cdm.drug_exposure (drug_exposure_id, person_id, drug_concept_id, drug_exposure_start_date) SELECT 900000 + drug_exposure_id, person_id, drug_concept_id, IF(person_id % 2 = 0, '0000-00-00', '2014-00-00') FROM cdm.drug_exposure",
    );
    expect(await rowsNow()).toEqual(expected);
  });
});
