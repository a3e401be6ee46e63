import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { english } from "@consilium/runtime/http/spoken";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { studyOver } from "../../../../testing/data/study.js";
import { temporaryFolder } from "../../../../testing/data/writeTable.js";
import { type CellRequest, LevelIndex, levelCell, MissingValues, numberCell } from "../../cells.js";
import { openSource } from "../../openSource.js";
import { PatientHash } from "../../patientHash.js";
import { openTable } from "../../preflight.js";
import { anyRows, reopen } from "../../snapshot.js";
import { resolveTableConfig, type TableConfig, tableConfigSchema } from "../../tableConfig.js";

const programs = postgresPrograms();
const { missing, notFinite, notNumeric } = numberCell;

const number = (name: string): CellRequest => ({ kind: "number", name });
const level = (name: string, levels: string[], nullValues: string[] = []): CellRequest => ({
  kind: "level",
  name,
  levels: new LevelIndex({ name, levels }, new MissingValues(nullValues)),
});

/** A certificate of an authority of its own for 127.0.0.1, as PEM. */
function certificates(folder: string) {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const make = (name: string, subject: string) =>
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", subject,
      "-keyout", at(`${name}.key`), "-out", at(`${name}.crt`), "-addext", "subjectAltName=IP:127.0.0.1"); // biome-ignore format: one command
  make("server", "/CN=127.0.0.1");
  make("other", "/CN=other");
  return {
    files: {
      "server.key": readFileSync(at("server.key"), "utf8"),
      "server.crt": readFileSync(at("server.crt"), "utf8"),
    },
    authority: at("server.crt"),
    foreign: at("other.crt"),
  };
}

describe.skipIf(programs === null)("a query in PostgreSQL", () => {
  const folder = temporaryFolder();
  let server: TestPostgres;
  let made: ReturnType<typeof certificates>;
  beforeAll(async () => {
    made = certificates(folder);
    server = await TestPostgres.start(programs!, {
      settings: ["ssl=on", "ssl_cert_file=server.crt", "ssl_key_file=server.key"],
      files: made.files,
    });
  });
  afterAll(() => server?.remove());

  const table = (query: string, more: object = {}, url = server.url()): TableConfig =>
    tableConfigSchema.parse({ name: "records", postgres: { url, query }, ...more });
  const ordered = (query: string, more: object = {}) =>
    tableConfigSchema.parse({
      name: "records",
      postgres: { url: server.url(), query, orderBy: ["n"] },
      ...more,
    });

  async function cells(config: TableConfig, requests: readonly CellRequest[]): Promise<number[][]> {
    const { source, files } = await openSource(config);
    const columns: number[][] = requests.map(() => []);
    for await (const chunk of source.read(files[0]!, requests, {})) {
      for (const [k, values] of chunk.columns.entries()) columns[k] = [...(columns[k] ?? []), ...values];
    }
    return columns;
  }

  const numbered = (values: readonly string[]) =>
    `SELECT * FROM (VALUES ${values.map((value, i) => `(${i}, ${value})`).join(", ")}) AS v (n, x)`;

  test("numbers of every type come as float64, missing and strange ones marked", async () => {
    const floats = numbered(["0.1::float8", "NULL", "'NaN'", "'-Infinity'", "1e-300", "-7"]);
    expect(await cells(ordered(floats), [number("x")])).toEqual([
      [0.1, missing, notFinite, notFinite, 1e-300, -7],
    ]);
    expect((await cells(ordered(floats, { nullValues: ["NaN"] }), [number("x")]))[0]![2]).toEqual(missing);
    const query = `SELECT 1 AS n, 2::smallint AS i2, 3::int AS i4, 9007199254740991 AS i8, 0.1::real AS f4,
      12.50::numeric(5,2) AS dec, ' 7.5 ' AS spelled, 'x' AS word, true AS flag, DATE '2020-02-03' AS day`;
    const names = ["i2", "i4", "i8", "f4", "dec", "spelled", "word", "flag", "day"];
    expect((await cells(ordered(query), names.map(number))).map(([value]) => value)).toEqual([
      2,
      3,
      9007199254740991,
      Math.fround(0.1),
      12.5,
      7.5,
      notNumeric,
      notNumeric,
      notNumeric,
    ]);
  });

  test("levels are the text that PostgreSQL gives, trimmed", async () => {
    server.psql("CREATE TYPE grade AS ENUM ('low', 'high')");
    const query = `SELECT 1 AS n, 'high'::grade AS e, DATE '2020-02-03' AS day, true AS flag, 1.0::float8 AS f,
      12.50::numeric(5,2) AS dec, ' yes '::char(9) AS padded, '?' AS unknown, 'naïve – 日本' AS text`;
    const read = await cells(ordered(query, { nullValues: ["?"] }), [
      level("e", ["low", "high"]),
      level("day", ["2020-02-03"]),
      level("flag", ["false", "true"]),
      level("f", ["1.0"]),
      level("dec", ["12.5", "12.50"]),
      level("padded", ["no", "yes"]),
      level("unknown", ["a"], ["?"]),
      level("text", ["naïve – 日本"]),
      level("text", ["other"]),
    ]);
    expect(read.map(([value]) => value)).toEqual([
      1,
      0,
      1,
      0,
      1,
      1,
      levelCell.missing,
      0,
      levelCell.undeclared,
    ]);
  });

  test("a patient is one whatever the type of the column", async () => {
    const hash = new PatientHash(new MissingValues([]), "0".repeat(64));
    const request: CellRequest = { kind: "patient", name: "x", hash };
    const parts = async (value: string) =>
      (await cells(ordered(numbered([value])), [number("n"), request])).slice(1).map(([part]) => part);
    expect(await parts("17")).toEqual(hash.parts("17"));
    expect(await parts("17.0::float8")).toEqual(hash.parts("17"));
    expect(await parts("17.00::numeric(9,2)")).toEqual(hash.parts("17"));
    expect(await parts("' 17 '")).toEqual(hash.parts("17"));
    expect(await parts("9007199254740993")).toEqual(hash.parts("9007199254740993"));
    expect(await parts("'NaN'::float8")).toEqual([-1, -1, -1]);
    expect(await parts("NULL")).toEqual([-1, -1, -1]);
  });

  test("columns are told with their kinds", async () => {
    const config = table(
      `SELECT 1 AS n, 'a' AS "with ""quote", now() AS at, '{}'::json AS j, ARRAY[1] AS list, '\\x00'::bytea AS b,
       gen_random_uuid() AS id -- and a remark
       ;`,
    );
    const { source } = await openSource(config);
    expect((await source.columns("")).map(({ name, kind }) => [name, kind])).toEqual([
      ["n", "number"],
      ['with "quote', "text"],
      ["at", "timestamp"],
      ["j", "nested"],
      ["list", "nested"],
      ["b", "binary"],
      ["id", "text"],
    ]);
  });

  test("many rows come in bounded chunks, in the order asked for", async () => {
    const config = ordered("SELECT i AS n FROM generate_series(9999, 0, -1) AS i");
    const { source } = await openSource(config);
    let next = 0;
    for await (const { rows, columns } of source.read("", [number("n")], {})) {
      expect(rows).toBeLessThanOrEqual(2048);
      for (const value of columns[0]!) expect(value).toBe(next++);
    }
    expect(next).toBe(10_000);
  });

  test("reading stops when told", async () => {
    const config = table("SELECT i AS n FROM generate_series(1, 100000) AS i");
    const { source } = await openSource(config);
    const controller = new AbortController();
    const reading = async () => {
      for await (const _ of source.read("", [number("n")], { signal: controller.signal })) {
        controller.abort(new Error("told to stop"));
      }
    };
    await expect(reading()).rejects.toThrow("told to stop");
    expect(
      server.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'consilium site'"),
    ).toBe("0");
  });

  describe("as a study's table", () => {
    const study = studyOver([{ name: "x", type: "numeric", min: 0, max: 10 }], {
      label: { name: "y", levels: ["no", "yes"] },
    });
    const make = (name: string) => {
      server.psql(`CREATE TABLE ${name} (id int PRIMARY KEY, x float8, y text);
        INSERT INTO ${name} SELECT i, i % 10, CASE WHEN i % 2 = 0 THEN 'no' ELSE 'yes' END FROM generate_series(1, 5000) AS i`);
      return table(`SELECT * FROM ${name}`);
    };
    const all = async (opened: { blocks(): AsyncIterable<{ rows: number }> }) => {
      let rows = 0;
      for await (const block of opened.blocks()) rows += block.rows;
      return rows;
    };

    test("is what was approved, in whatever order the database keeps it", async () => {
      const config = make("kept");
      const approval = unwrap(await openTable(config, study));
      expect(approval.rows).toBe(5000);
      server.psql("UPDATE kept SET id = -id WHERE id % 3 = 0; CLUSTER kept USING kept_pkey");
      expect(await all(unwrap(await reopen(config, study, approval)))).toBe(5000);
    });

    test("is read twice where patients weigh alike, in whatever order the database keeps it", async () => {
      const patient = { column: "who", maxRows: 8, weighting: "patients" } as const;
      const weighing = { ...study, patient };
      const config = make("weighed");
      server.psql(
        "ALTER TABLE weighed ADD who int; UPDATE weighed SET who = CASE WHEN id <= 2000 THEN id ELSE id % 1000 END",
      );
      const read = async () => {
        const counts = new Map<number, number>();
        for await (const { rows, patientRows } of anyRows(config, weighing, () => {}))
          for (const count of patientRows!.counts.subarray(0, rows))
            counts.set(count, (counts.get(count) ?? 0) + 1);
        return [...counts].sort(([a], [b]) => a - b);
      };
      // 1 to 999 have their own row and three of the others; 1000 to 2000 their own; 0 has three.
      const expected = [
        [1, 1001],
        [3, 3],
        [4, 999 * 4],
      ];
      expect(await read()).toEqual(expected);
      server.psql("UPDATE weighed SET id = -id WHERE id % 3 = 0; CLUSTER weighed USING weighed_pkey");
      expect(await read()).toEqual(expected);
    });

    test.each([
      ["a value", "UPDATE changed SET x = 9.5 WHERE id = 17"],
      ["a row more", "INSERT INTO changed VALUES (0, 1, 'no')"],
      ["a row less", "DELETE FROM changed WHERE id = 4000"],
      ["a column renamed", "ALTER TABLE changed RENAME x TO z"],
    ])("is refused at the next stage after a change: %s", async (_, sql) => {
      server.psql("DROP TABLE IF EXISTS changed");
      const config = make("changed");
      const approval = unwrap(await openTable(config, study));
      server.psql(sql);
      await expect(all(unwrap(await reopen(config, study, approval)))).rejects.toMatchObject({
        code: "TABLE_CHANGED",
      });
    });

    test("is one state of the database, whatever is written meanwhile", async () => {
      const config = make("written");
      const approval = unwrap(await openTable(config, study));
      const table = unwrap(await reopen(config, study, approval));
      let rows = 0;
      for await (const block of table.blocks({ blockRows: 100 })) {
        if (rows === 0) server.psql("DELETE FROM written WHERE id > 10");
        rows += block.rows;
      }
      expect(rows).toBe(5000);
      await expect(all(table)).rejects.toMatchObject({ code: "TABLE_CHANGED" });
    });

    test("is refused with column and row, and never with the value", async () => {
      server.psql(`CREATE TABLE wrong (id int, x text, y text);
        INSERT INTO wrong SELECT i, CASE WHEN i = 3000 THEN 'SECRETLEVEL' ELSE '1' END, 'no' FROM generate_series(1, 4000) AS i`);
      const config = tableConfigSchema.parse({
        name: "records",
        postgres: { url: server.url(), query: "SELECT * FROM wrong", orderBy: ["id"] },
      });
      const result = await openTable(config, study);
      expect(result.ok).toBe(false);
      if (result.ok) return;
      expect(result.error.code).toBe("COLUMN_TYPE");
      expect(english(result.error.message)).toContain('table "records", column "x", row 3000');
      expect(JSON.stringify([result.error.message, result.error.remedy, result.error])).not.toContain(
        "SECRET",
      );
    });
  });

  describe("cannot", () => {
    const refusal = async (config: TableConfig, requests = [number("x")]) => {
      try {
        await inEnglish(cells(config, requests));
      } catch (thrown) {
        return thrown as Error;
      }
      return expect.unreachable("it was read");
    };

    test("write", async () => {
      server.psql("CREATE TABLE untouched (x int)");
      const writing = [
        "WITH made AS (INSERT INTO untouched VALUES (1) RETURNING x) SELECT x FROM made",
        "SELECT nextval('s') AS x",
      ];
      server.psql("CREATE SEQUENCE s");
      for (const query of writing)
        expect(await refusal(table(query))).toMatchObject({ code: expect.stringMatching(/^TABLE_/) });
      expect(server.psql("SELECT count(*) FROM untouched")).toBe("0");
      expect(server.psql("SELECT is_called FROM s")).toBe("f");
    });

    test("quote a value in what it says of a failing query", async () => {
      for (const query of [
        "SELECT 'SECRETLEVEL'::int AS x",
        "SELECT x::int FROM (VALUES ('SECRETLEVEL')) v (x)",
      ]) {
        const error = await refusal(table(query));
        expect(error).toMatchObject({ code: expect.stringMatching(/^TABLE_/) });
        expect(error.message).toContain("22P02");
        expect(JSON.stringify([String(error), error.stack, error, error.cause])).not.toContain("SECRET");
      }
    });

    test.each([
      ["SELECT x FROM nowhere", "42P01"],
      ["SELECT nothing FROM pg_class", "42703"],
      ["SELEC", "42601"],
      ["SELECT 1 AS x) AS t; DROP TABLE untouched; --", "42601"],
    ])("be misunderstood: %s", async (query, code) => {
      expect((await refusal(table(query))).message).toContain(`(${code})`);
    });

    test("be read from a server of another authority or name, or one that is not there", async () => {
      const over = (parameters: string, at = server.url()) =>
        resolveTableConfig(table("SELECT 1 AS x", {}, at + parameters), folder);
      expect(await cells(over("?sslmode=verify-full&sslrootcert=server.crt"), [number("x")])).toEqual([[1]]);
      expect((await refusal(over("?sslmode=verify-full&sslrootcert=other.crt"))).message).toContain(
        "is not of the authority",
      );
      expect((await refusal(over("?sslmode=verify-full"))).message).toContain("is not of the authority");
      const byName = server.url().replace("127.0.0.1", "localhost");
      const misnamed = await refusal(over("?sslmode=verify-full&sslrootcert=server.crt", byName));
      expect(misnamed.message).toContain("for another host name");
      const nobody = server.url().replace(/:\d+\//, ":1/");
      expect((await refusal(over("", nobody))).message).toContain("ECONNREFUSED");
    });

    test("be opened with a password file that is missing", async () => {
      const config = (passwordFile: string) =>
        resolveTableConfig(
          tableConfigSchema.parse({
            name: "records",
            postgres: { url: server.url(), query: "SELECT 1 AS x", passwordFile },
          }),
          folder,
        );
      expect(await refusal(config("absent"))).toMatchObject({ code: "CONFIG_INVALID" });
      writeFileSync(join(folder, "password"), "secret\n");
      expect(await cells(config("password"), [number("x")])).toEqual([[1]]);
    });
  });
});

describe("a table's entry in the configuration", () => {
  const query = "SELECT 1 AS x";
  test.each([
    ["both a path and a query", { path: "a.csv", postgres: { url: "postgres://a@db/b", query } }],
    ["neither", {}],
    ["a format", { format: "csv", postgres: { url: "postgres://a@db/b", query } }],
    ["a password in the address", { postgres: { url: "postgres://a:hunter2@db/b", query } }],
    ["no query", { postgres: { url: "postgres://a@db/b" } }],
  ])("is refused with %s", (_, entry) => {
    const parsed = tableConfigSchema.safeParse({ name: "records", ...entry });
    expect(parsed.success).toBe(false);
    expect(String(parsed.error)).not.toContain("hunter2");
  });
});
