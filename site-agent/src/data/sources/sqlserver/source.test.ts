import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { english } from "@consilium/runtime/http/spoken";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSigned, type TestCertificate } from "../../../../testing/data/certificates.js";
import { type TdsAnswer, TdsPeer } from "../../../../testing/data/tdsPeer.js";
import { temporaryFolder } from "../../../../testing/data/writeTable.js";
import { type CellRequest, LevelIndex, levelCell, MissingValues, numberCell } from "../../cells.js";
import { openSource } from "../../openSource.js";
import { resolveTableConfig, tableConfigSchema } from "../../tableConfig.js";
import { connectOptions, openSqlServer } from "./connection.js";
import { sqlServerCell, sqlServerCode } from "./source.js";

/** No SQL Server is to be had here: the driver talks to a peer that is written by hand. */
const folder = temporaryFolder();
const password = "päss word";
writeFileSync(join(folder, "password"), `${password}\n`);
writeFileSync(join(folder, "wrong"), "another\n");

const described: TdsAnswer = {
  to: "WHERE 1 = 0",
  columns: [
    { name: "n", type: "int" },
    { name: "x", type: "float" },
    { name: "amount", type: "decimal" },
    { name: "ward", type: "nvarchar" },
  ],
};
const rows = Array.from({ length: 5000 }, (_, n) => [
  String(n),
  n / 8,
  n === 7 ? null : `${n}.10`,
  n % 2 === 0 ? " heart " : null,
]);
const read: TdsAnswer = {
  to: "ORDER BY",
  columns: [
    { name: "cell_0", type: "nvarchar" },
    { name: "cell_1", type: "float" },
    { name: "cell_2", type: "nvarchar" },
    { name: "cell_3", type: "nvarchar" },
  ],
  rows,
};
const failing: TdsAnswer = {
  to: "nowhere",
  error: { number: 208, message: "Invalid object name 'secret value'." },
};

let trusted: TestCertificate;
let encrypted: TdsPeer;
let plain: TdsPeer;
beforeAll(async () => {
  trusted = selfSigned(folder, "localhost", ["DNS:localhost"]);
  selfSigned(folder, "other", ["DNS:elsewhere"]);
  const answers = [failing, described, read];
  encrypted = await TdsPeer.start({ tls: trusted, password, answers });
  plain = await TdsPeer.start({ password, answers });
});
afterAll(async () => {
  await encrypted?.stop();
  await plain?.stop();
});

const config = (url: string, more: object = {}) =>
  resolveTableConfig(
    tableConfigSchema.parse({
      name: "records",
      sqlserver: { url, passwordFile: "password", query: "SELECT * FROM visits;", orderBy: ["n"], ...more },
    }),
    folder,
  );
const secure = (parameters = "?sslmode=verify-full&sslrootcert=localhost.crt", host = "localhost") =>
  `sqlserver://reader@${host}:${encrypted.port}/clinic${parameters}`;

const requests: CellRequest[] = [
  { kind: "number", name: "n" },
  { kind: "number", name: "x" },
  { kind: "number", name: "amount" },
  {
    kind: "level",
    name: "ward",
    levels: new LevelIndex({ name: "ward", levels: ["heart", "lung"] }, new MissingValues([])),
  },
];

async function refusal(url: string, more: object = {}): Promise<string> {
  const { source, files } = await openSource(config(url, more));
  return source.columns(files[0]!).then(
    () => "",
    (thrown) => `${english(thrown.describe())} ${String(thrown.cause)}`,
  );
}

describe("a query in SQL Server", () => {
  test("is read in one transaction at SNAPSHOT over TLS, and the transaction rolled back", async () => {
    encrypted.said.length = 0;
    const { source, files, format } = await openSource(config(secure()));
    expect(format).toBe("sqlserver");
    const columns = await source.columns(files[0]!);
    expect(columns.map(({ name, kind }) => [name, kind])).toEqual([
      ["n", "number"],
      ["x", "number"],
      ["amount", "number"],
      ["ward", "text"],
    ]);
    const seen: number[][] = requests.map(() => []);
    let chunks = 0;
    for await (const chunk of source.read(files[0]!, requests, {})) {
      chunks++;
      for (const [k, values] of chunk.columns.entries()) seen[k]!.push(...values);
    }
    expect(chunks).toBe(3);
    expect(seen).toEqual([
      rows.map((_, n) => n),
      rows.map((_, n) => n / 8),
      rows.map((_, n) => (n === 7 ? numberCell.missing : Number(`${n}.1`))),
      rows.map((_, n) => (n % 2 === 0 ? 0 : levelCell.missing)),
    ]);
    // The pool tries a connection of its own first. 5 is SNAPSHOT in [MS-TDS] 2.2.7.17.
    expect(encrypted.said).toEqual([
      "sign in",
      "sign in",
      "begin at 5",
      "WHERE 1 = 0",
      "rollback",
      "sign in",
      "sign in",
      "begin at 5",
      "WHERE 1 = 0",
      "ORDER BY",
      "rollback",
    ]);
  });

  test("that is left early ends the connection, and with it the transaction", async () => {
    const { source, files } = await openSource(config(secure()));
    for await (const _ of source.read(files[0]!, requests, {})) {
      expect(encrypted.connections).toBe(1);
      break;
    }
    await expect.poll(() => encrypted.connections).toBe(0);
  });

  test("says by the server's number what is wrong, and never what the server says", async () => {
    const said = await refusal(secure(), { query: "SELECT * FROM nowhere" });
    expect(said).toContain('[TABLE_AWAY] table "records": the query names a table that is not there (208)');
    expect(said).not.toContain("secret value");
    const wrong = await refusal(secure(), { passwordFile: "wrong" });
    expect(wrong).toMatch(/the database refuses user or password \((?:18456|ELOGIN)\)/);
    expect(wrong).not.toContain("reader");
  });

  test("is not read from a server of another authority or name, without encryption, or one that is not there", async () => {
    expect(await refusal(secure())).toBe("");
    expect(await refusal(secure("?sslmode=verify-full&sslrootcert=other.crt"))).toContain(
      "is not of the authority",
    );
    expect(await refusal(secure("?sslmode=verify-full&sslrootcert=localhost.crt", "127.0.0.1"))).toContain(
      "for another host name",
    );
    const to = (parameters: string) => `sqlserver://reader@localhost:${plain.port}/clinic${parameters}`;
    expect(await refusal(to("?sslmode=disable"))).toBe("");
    plain.said.length = 0;
    expect(await refusal(to("?sslmode=verify-full&sslrootcert=localhost.crt"))).toContain(
      "the server offers no encryption",
    );
    // The password was not sent.
    expect(plain.said).toEqual([]);
    expect(await refusal("sqlserver://reader@localhost:1/clinic")).toContain(
      "no database answers at the address",
    );
    expect(await refusal(secure(), { passwordFile: "missing" })).toContain("CONFIG_INVALID");
  });

  test("is given up after a while without an answer", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const options = {
      host: "127.0.0.1",
      port,
      database: "d",
      user: "u",
      password,
      isEncrypted: false,
      caFile: null,
    };
    const error = await openSqlServer({ ...options, connectTimeoutMs: 200 }).catch((thrown) => thrown);
    expect(sqlServerCode(error)).toBe("ETIMEOUT");
    silent.close();
  });

  test("asks for every check of the certificate whatever the address says", () => {
    const base = { host: "h", port: 1433, database: "d", user: "u", password, caFile: null };
    expect(connectOptions({ ...base, isEncrypted: true }).options).toMatchObject({
      encrypt: true,
      trustServerCertificate: false,
      readOnlyIntent: true,
    });
    const address = (url: string) =>
      tableConfigSchema.safeParse({ name: "t", sqlserver: { url, passwordFile: "p", query: "SELECT 1" } });
    expect(address("sqlserver://reader@db.example/clinic").success).toBe(true);
    for (const url of [
      "sqlserver://reader@db.example/clinic?sslmode=require",
      "sqlserver://reader@db.example/clinic?trustServerCertificate=true",
      "sqlserver://reader:secret@db.example/clinic",
      "postgres://reader@db.example/clinic",
      "sqlserver://db.example/clinic",
    ])
      expect(address(url).success, url).toBe(false);
  });

  test("has its cells asked for as text that loses nothing", () => {
    expect(sqlServerCell("[a]", "Real")).toBe("CAST([a] AS float)");
    expect(sqlServerCell("[a]", "Money")).toBe("CONVERT(varchar(64), [a], 2)");
    expect(sqlServerCell("[a]", "BigInt")).toBe("CONVERT(varchar(64), [a])");
    expect(sqlServerCell("[a]", "Bit")).toBe("CASE [a] WHEN 1 THEN 'true' WHEN 0 THEN 'false' END");
    expect(sqlServerCell("[a]", "Date")).toBe("CONVERT(varchar(64), [a], 23)");
    expect(sqlServerCell("[a]", "NVarChar")).toBe("CAST([a] AS nvarchar(max))");
  });
});
