import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { english } from "@consilium/runtime/http/spoken";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { selfSigned, type TestCertificate } from "../../../../testing/data/certificates.js";
import { temporaryFolder } from "../../../../testing/data/writeTable.js";
import { openSource } from "../../openSource.js";
import { resolveTableConfig, tableConfigSchema } from "../../tableConfig.js";
import { connectAttributes, openOracle, oracleText } from "./connection.js";
import { oracleCell, oracleKind } from "./source.js";

/** No Oracle database is to be had here: listeners written by hand refuse, say nothing, or have the wrong certificate. */
const folder = temporaryFolder();
writeFileSync(join(folder, "password"), "secret\n");

/** A listener's REFUSE packet: it has no such service. */
function refuse(socket: Socket): void {
  socket.on("error", () => undefined);
  socket.once("data", () => {
    const text = Buffer.from("(DESCRIPTION=(ERR=12514)(VSNNUM=0)(ERROR_STACK=(ERROR=(CODE=12514)(EMFI=4))))");
    const header = Buffer.alloc(12);
    header.writeUInt16BE(header.length + text.length, 0);
    header[4] = 4;
    header.writeUInt16BE(text.length, 10);
    socket.end(Buffer.concat([header, text]));
  });
}

let trusted: TestCertificate;
let plain: Server;
let encrypted: Server;
let silent: Server;
const sockets = new Set<Socket>();
const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  trusted = selfSigned(folder, "localhost", ["DNS:localhost"]);
  const other = selfSigned(folder, "other", ["DNS:localhost"]);
  const wallet = ({ cert, key }: TestCertificate) => `${cert}${key}`;
  writeFileSync(join(folder, "trusting.pem"), wallet(trusted));
  writeFileSync(join(folder, "foreign.pem"), wallet(other));
  plain = createServer(refuse);
  encrypted = createTlsServer({ cert: trusted.cert, key: trusted.key }, refuse);
  silent = createServer();
  for (const server of [plain, encrypted, silent]) {
    server.on("connection", (socket: Socket) => sockets.add(socket));
    server.on("tlsClientError", () => undefined);
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
  }
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of [plain, encrypted, silent]) server?.close();
});

async function refusal(url: string): Promise<string> {
  const parsed = tableConfigSchema.parse({
    name: "records",
    oracle: { url, passwordFile: "password", query: "SELECT * FROM visits" },
  });
  const { source, files, format } = await openSource(resolveTableConfig(parsed, folder));
  expect(format).toBe("oracle");
  return source.columns(files[0]!).then(
    () => "",
    (thrown) => `${english(thrown.describe())} ${String(thrown.cause)}`,
  );
}

describe("a query in Oracle", () => {
  test("is refused with what the listener's code means", async () => {
    const said = await refusal(`oracle://reader@localhost:${portOf(plain)}/clinic?sslmode=disable`);
    expect(said).toContain('[TABLE_AWAY] table "records": the server has no such service');
    expect(said).not.toContain("reader");
    expect(await refusal("oracle://reader@localhost:1/clinic")).toContain(
      "no database answers at the address",
    );
  });

  test("goes over TLS to a server of the wallet's authority alone, by its name", async () => {
    const to = (wallet: string, host = "localhost") =>
      `oracle://reader@${host}:${portOf(encrypted)}/clinic?sslmode=verify-full${wallet === "" ? "" : `&wallet=${wallet}`}`;
    // The positive control gets through TLS as far as the listener's answer.
    expect(await refusal(to("trusting.pem"))).toContain("the server has no such service");
    expect(await refusal(to("foreign.pem"))).toContain("TLS failed");
    expect(await refusal(to(""))).toContain("TLS failed");
    expect(await refusal(to("trusting.pem", "127.0.0.1"))).toMatch(/TLS failed|another host name/);
    const noTls = `oracle://reader@localhost:${portOf(plain)}/clinic?sslmode=verify-full&wallet=trusting.pem`;
    expect(await refusal(noTls)).toContain("TLS failed");
  });

  test("is given up after a while without an answer", async () => {
    const options = {
      host: "127.0.0.1",
      service: "s",
      user: "u",
      password: "p",
      isEncrypted: false,
      walletFile: null,
    };
    const error = await openOracle({ ...options, port: portOf(silent), connectTimeoutMs: 300 }).catch(
      (thrown) => thrown,
    );
    expect(error.code).toMatch(/^NJS-(?:510|503)$/);
  });

  test("is not opened where the driver would print what it reads", async () => {
    vi.stubEnv("NODE_ORACLEDB_DEBUG_PACKETS", "1");
    const url = `oracle://reader@localhost:${portOf(plain)}/clinic?sslmode=disable`;
    expect(await refusal(url)).toContain("the driver would print records");
    vi.unstubAllEnvs();
    expect(await refusal(url)).toContain("the server has no such service");
  });

  test("is addressed by names that are no descriptor's syntax", () => {
    const base = { port: 1, user: "u", password: "p", isEncrypted: true, walletFile: null };
    const { connectString } = connectAttributes({ ...base, host: "db.example", service: "clinic.example" });
    expect(connectString).toContain("(PROTOCOL=TCPS)(HOST=db.example)(PORT=1)");
    expect(connectString).toContain("(SSL_SERVER_DN_MATCH=TRUE)");
    for (const service of ["s)(SECURITY=(SSL_SERVER_DN_MATCH=FALSE)", "a b", ""])
      expect(() => connectAttributes({ ...base, host: "db.example", service })).toThrow(RangeError);
  });

  test("has its cells asked for as text that loses nothing", () => {
    expect(oracleCell('"A"', "NUMBER")).toBe('"A"');
    expect(oracleCell('"A"', "DATE")).toBe(`TO_CHAR("A", 'YYYY-MM-DD HH24:MI:SS')`);
    expect(oracleCell('"A"', "TIMESTAMP WITH TIME ZONE")).toContain('SYS_EXTRACT_UTC("A")');
    expect(oracleCell('"A"', "RAW")).toBe('RAWTOHEX("A")');
    expect(
      ["NUMBER", "BINARY_DOUBLE", "VARCHAR2", "DATE", "TIMESTAMP", "BLOB", "JSON"].map(oracleKind),
    ).toEqual(["number", "number", "text", "timestamp", "timestamp", "binary", "nested"]);
    expect([".5", "-.25", "12", "0.5", ".x", 0.1, null].map(oracleText)).toEqual([
      "0.5",
      "-0.25",
      "12",
      "0.5",
      ".x",
      "0.1",
      null,
    ]);
    expect(() => oracleText(new Date(0))).toThrow(TypeError);
  });
});
