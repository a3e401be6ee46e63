import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { readPublishedMembers } from "@consilium/release/members";
import { rootKeyHash } from "@consilium/runtime/identity/rootKey";
import { isSignedByRoot } from "@consilium/runtime/release/verifyFolder";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const fingerprint = (name: string) => createHash("sha256").update(name).digest("hex");
const since = "2026-01-01T00:00:00.000Z";
const site = (id: string, key: string | null, keyReplaced: { key: string; at: string } | null = null) => ({
  id,
  presence: "online",
  tables: [],
  signingKeyFingerprint: key,
  keySince: key === null ? null : since,
  keyReplaced:
    keyReplaced === null ? null : { signingKeyFingerprint: fingerprint(keyReplaced.key), at: keyReplaced.at },
});

let home: string;
let server: Server;
let received: Buffer[];
let refuse: boolean;
let rootFingerprint: string;
let sites: ReturnType<typeof site>[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-members-"));
  received = [];
  refuse = false;
  sites = [site("st-mary", fingerprint("m")), site("st-john", fingerprint("j")), site("invited", null)];
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      if (request.url === "/api/federation") {
        response.end(JSON.stringify({ federation: "north-sea", rootFingerprint }));
      } else if (request.url === "/api/sites") response.end(JSON.stringify(sites));
      else if (request.url === "/api/revocations") response.writeHead(204).end();
      else if (request.url === "/api/members" && !refuse) {
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

async function run(...argv: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: home } });
  return { exitCode: await runCli(argv, io), out: io.out(), err: io.err() };
}

const sign = (...argv: string[]) => run("members", "sign", "--yes", ...argv);

async function listOf(bytes: Buffer | undefined) {
  const rootPem = await readFile(join(home, "authority", "root.pem"), "utf8");
  const under = {
    text: bytes!.toString(),
    rootKey: rootKeyHash(rootPem),
    isRootSignature: (text: Uint8Array, signature: Uint8Array) => isSignedByRoot(rootPem, text, signature),
  };
  const { members, issuedAt } = unwrap(readPublishedMembers(under, "north-sea"));
  return { issuedAt, byKey: new Map(members.map((one) => [one.signingKeyFingerprint as string, one])) };
}

describe("consilium members sign", () => {
  it("signs who has enrolled, by the names that the operator gives, and keeps them for the next list", async () => {
    const first = await sign("--name", "st-mary=St Mary's Hospital");
    expect(first).toMatchObject({ exitCode: 0, err: "" });
    expect(first.out).toContain("2 members, 2 keys");
    await sign();
    const [one, two] = [await listOf(received[0]), await listOf(received[1])];
    expect([...two.byKey.values()].map(({ name, from, until }) => [name, from, until]).sort()).toEqual([
      ["St Mary's Hospital", since, null],
      ["st-john", since, null],
    ]);
    expect(Date.parse(two.issuedAt)).toBeGreaterThan(Date.parse(one.issuedAt));
    expect(await readFile(join(home, "authority", "members.json"))).toEqual(received[1]);
  });

  it("ends keys that were replaced or expelled, or that no site has any more, for good", async () => {
    sites.push(site("st-anne", fingerprint("a")));
    await sign("--name", "st-mary=St Mary's Hospital");
    const at = "2026-05-01T00:00:00.000Z";
    sites = [site("st-mary", fingerprint("m2"), { key: "m", at }), site("st-john", fingerprint("j"))];
    await run("expel", "st-john");
    await sign();
    const { byKey, issuedAt } = await listOf(received[1]);
    expect(byKey.get(fingerprint("m"))).toMatchObject({ name: "St Mary's Hospital", until: at });
    expect(byKey.get(fingerprint("m2"))).toMatchObject({ name: "St Mary's Hospital", until: null });
    expect(byKey.get(fingerprint("a"))).toMatchObject({ until: issuedAt });
    expect(byKey.get(fingerprint("j"))!.until).not.toBeNull();
    // An aggregator that has the ended keys enrolled again does not bring them back.
    sites = [
      site("st-mary", fingerprint("m")),
      site("st-anne", fingerprint("a")),
      site("st-john", fingerprint("j")),
    ];
    await sign();
    const third = (await listOf(received[2])).byKey;
    for (const key of ["m", "a", "j"])
      expect(third.get(fingerprint(key))!.until).toBe(byKey.get(fingerprint(key))!.until);
  });

  it("signs nothing that nobody confirmed", async () => {
    const asked = await run("members", "sign");
    expect([asked.exitCode, asked.out]).toEqual([2, expect.stringContaining(fingerprint("m"))]);
    expect(received).toEqual([]);
    await expect(readFile(join(home, "authority", "members.json"))).rejects.toThrow("ENOENT");
  });

  it("follows a list that was signed and not published by a newer one", async () => {
    refuse = true;
    expect((await sign()).exitCode).toBe(3);
    const kept = await listOf(await readFile(join(home, "authority", "members.json")));
    refuse = false;
    expect((await sign()).exitCode).toBe(0);
    expect(Date.parse((await listOf(received[0])).issuedAt)).toBeGreaterThan(Date.parse(kept.issuedAt));
  });

  it("refuses a changed last list, another federation's authority, and names of no site", async () => {
    expect((await sign("--name", "st-peter=St Peter's")).exitCode).toBe(2);
    expect((await sign("--name", "st-mary")).exitCode).toBe(2);
    await sign();
    const path = join(home, "authority", "members.json");
    await writeFile(path, (await readFile(path, "utf8")).replace("st-mary", "st-mery"));
    expect((await sign()).err).toContain("its signature is not the root's");
    rootFingerprint = "0".repeat(64);
    expect((await sign()).exitCode).toBe(4);
    expect(received).toHaveLength(1);
  });
});
