import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const fingerprint = (name: string) => createHash("sha256").update(name).digest("hex");
const site = (id: string, key: string | null) => ({
  id,
  presence: "online",
  tables: [],
  signingKeyFingerprint: key,
});

let home: string;
let server: Server;
let received: Buffer[];
let refuse: boolean;
let rootFingerprint: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-expel-"));
  received = [];
  refuse = false;
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      if (request.url === "/api/federation") {
        response.end(JSON.stringify({ federation: "north-sea", rootFingerprint }));
      } else if (request.url === "/api/sites") {
        response.end(
          JSON.stringify([
            site("st-mary", fingerprint("m")),
            site("st-john", fingerprint("j")),
            site("new", null),
          ]),
        );
      } else if (request.url === "/api/revocations" && !refuse) {
        received.push(Buffer.from(JSON.parse(body).list, "base64"));
        response.writeHead(204).end();
      } else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const made = capturedIo({ environment: { CONSILIUM_HOME: home } });
  await runCli(["init", "--name", "north-sea", "--json"], made);
  rootFingerprint = JSON.parse(made.out()).rootFingerprint;
  const http = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(join(home, "aggregator", "addresses.json"), JSON.stringify({ grpc: "x:1", http }));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true, force: true });
});

async function expel(...argv: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: home } });
  return { exitCode: await runCli(["expel", ...argv], io), out: io.out(), err: io.err() };
}

async function listOf(bytes: Uint8Array) {
  const rootPem = await readFile(join(home, "authority", "root.pem"), "utf8");
  return unwrap(verifyRevocations(bytes, { rootPem, knownSequence: 0 }));
}

describe("consilium expel", () => {
  it("extends the signed list, stores it and sends it to the aggregator", async () => {
    const first = await expel("st-mary", "--reason", "left");
    expect(first).toMatchObject({ exitCode: 0, err: "" });
    await expel("st-john", "--json");
    expect(received).toHaveLength(2);
    const list = await listOf(received[1]!);
    // The empty list that `init` signs is number 1.
    expect(list.sequence).toBe(3);
    expect(list.revocations.map((entry) => [entry.siteId, entry.signingKeyFingerprint]).sort()).toEqual([
      ["st-john", fingerprint("j")],
      ["st-mary", fingerprint("m")],
    ]);
    expect(await readFile(join(home, "authority", "revocations"))).toEqual(received[1]);
  });

  it("sends a signed but undelivered list again, under the same number", async () => {
    refuse = true;
    expect((await expel("st-mary")).exitCode).toBe(3);
    refuse = false;
    expect((await expel("st-mary")).out).toContain("was already on the list");
    expect((await listOf(received[0]!)).sequence).toBe(2);
    expect(received[0]).toEqual(await readFile(join(home, "authority", "revocations")));
  });

  it("never starts a new list when the old one is missing or changed", async () => {
    const path = join(home, "authority", "revocations");
    const signed = await readFile(path, "utf8");
    await writeFile(path, signed.replace('"sequence":1', '"sequence":9'));
    expect((await expel("st-mary")).exitCode).toBe(4);
    await rm(path);
    expect((await expel("st-mary")).err).toMatch(/^\[STATE_MISSING\] list of expelled sites/);
    expect(received).toEqual([]);
  });

  it("refuses the authority of another federation, an unknown site and one without a key", async () => {
    expect((await expel("st-peter")).exitCode).toBe(2);
    expect((await expel("new")).err).toContain("has no key to expel");
    expect((await expel("st-mary", "--authority", home)).err).toContain("with root-key.pem with --authority");
    rootFingerprint = "0".repeat(64);
    expect((await expel("st-mary")).exitCode).toBe(4);
    expect(received).toEqual([]);
  });
});
