import { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { loadAuthority, loadIssuer } from "@consilium/runtime/identity/authorityFiles";
import { loadIdentity } from "@consilium/runtime/identity/files";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-init-"));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const modeOf = async (...path: string[]) => (await stat(join(home, ...path))).mode & 0o777;
const yamlOf = async (...path: string[]) => parse(await readFile(join(home, ...path), "utf8"));

async function init(...argv: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: home } });
  return { exitCode: await runCli(["init", ...argv], io), io };
}

describe("consilium init", () => {
  it("creates authority, aggregator and publisher whose certificates verify under the root", async () => {
    const { exitCode, io } = await init("--name", "north-sea");
    expect(io.err()).toBe("");
    expect(exitCode).toBe(0);

    const root = unwrap(await loadAuthority(join(home, "authority")));
    expect(root.federation).toBe("north-sea");
    expect(io.out()).toContain(root.fingerprint);
    const issuer = unwrap(await loadIssuer(join(home, "aggregator", "issuing")));
    expect(issuer.rootPem).toBe(root.certificatePem);
    // loadIdentity verifies chain, names and keys as a peer would.
    for (const role of ["aggregator", "publisher"]) {
      const identity = unwrap(await loadIdentity(join(home, role, "identity"), Date.now()));
      expect(identity).toMatchObject({
        federation: "north-sea",
        role,
        id: role,
        rootPem: root.certificatePem,
      });
    }
    for (const folder of ["authority", "aggregator"]) {
      const list = await readFile(join(home, folder, "revocations"));
      const read = unwrap(verifyRevocations(list, { rootPem: root.certificatePem, knownSequence: 0 }));
      expect(read.revocations).toEqual([]);
    }
  });

  it("stores the root key only in the authority's folder, and secrets readable only by their owner", async () => {
    await init();
    expect(await readdir(join(home, "authority"))).toEqual(["revocations", "root-key.pem", "root.pem"]);
    const rootKey = await readFile(join(home, "authority", "root-key.pem"), "utf8");
    const body = rootKey.split("\n")[1]!;
    for (const name of await readdir(home, { recursive: true })) {
      const path = join(home, name);
      if (!(await stat(path)).isFile() || name.startsWith("authority")) continue;
      expect(await readFile(path, "utf8"), name).not.toContain(body);
    }
    expect(await modeOf("authority")).toBe(0o700);
    expect(await modeOf("authority", "root-key.pem")).toBe(0o600);
    expect(await modeOf("aggregator", "operator-token")).toBe(0o600);
    expect(await modeOf("aggregator", "issuing", "issuer.pem")).toBe(0o600);
    expect(await modeOf("aggregator", "identity", "tls-key.pem")).toBe(0o600);
    expect(await modeOf("publisher", "identity", "signing-key.pem")).toBe(0o600);
    const token = (await readFile(join(home, "aggregator", "operator-token"), "utf8")).trim();
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
  });

  it("writes hosts into certificates and configurations, and listens for others only if a host is another machine", async () => {
    await init(
      "--aggregator-host",
      "aggregator.example.org",
      "--aggregator-host",
      "192.0.2.7",
      "--grpc-port",
      "9443",
    );
    const config = await yamlOf("aggregator", "config.yaml");
    expect(config).toEqual({
      federation: "consilium",
      listen: { grpc: "0.0.0.0:9443", http: "127.0.0.1:7080" },
      advertise: "aggregator.example.org:9443",
      publisher: { grpc: "localhost:7444" },
      logLevel: "info",
    });
    const chain = await readFile(join(home, "aggregator", "identity", "chain.pem"), "utf8");
    const leaf = new X509Certificate(chain);
    expect(leaf.checkHost("aggregator.example.org")).toBe("aggregator.example.org");
    expect(leaf.checkIP("192.0.2.7")).toBe("192.0.2.7");
    expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(leaf.checkHost("example.com")).toBeUndefined();
    expect(await yamlOf("publisher", "config.yaml")).toEqual({
      listen: { grpc: "127.0.0.1:7444", http: "127.0.0.1:7081" },
      publicUrl: "http://localhost:7081",
      logLevel: "info",
    });
  });

  it("gives no address when the port is chosen at start", async () => {
    await init(
      "--grpc-port",
      "0",
      "--http-port",
      "0",
      "--publisher-grpc-port",
      "0",
      "--publisher-http-port",
      "0",
    );
    const aggregator = await yamlOf("aggregator", "config.yaml");
    expect(aggregator).not.toHaveProperty("advertise");
    expect(aggregator).not.toHaveProperty("publisher");
    expect(aggregator.listen).toEqual({ grpc: "127.0.0.1:0", http: "127.0.0.1:0" });
    expect(await yamlOf("publisher", "config.yaml")).not.toHaveProperty("publicUrl");
  });

  it("gives the publisher its public address, such as a proxy's", async () => {
    await init("--publisher-host", "publisher", "--public-url", "https://releases.example.org/");
    expect(await yamlOf("publisher", "config.yaml")).toMatchObject({
      publicUrl: "https://releases.example.org",
    });
    expect((await yamlOf("aggregator", "config.yaml")).publisher).toEqual({ grpc: "publisher:7444" });
  });

  it("stores the root key in the requested folder, and reports all paths to scripts", async () => {
    const { io } = await init("--authority", join(home, "usb"), "--json");
    const made = JSON.parse(io.out());
    expect(made).toMatchObject({ federation: "consilium", authority: join(home, "usb") });
    expect(unwrap(await loadAuthority(made.authority)).fingerprint).toBe(made.rootFingerprint);
    await expect(stat(join(home, "authority"))).rejects.toThrow();
    expect(await readFile(made.operatorTokenFile, "utf8")).toMatch(/^[\w-]{43}\n$/);
  });

  it("overwrites nothing", async () => {
    await init();
    const before = await readFile(join(home, "authority", "root-key.pem"), "utf8");
    const again = await init();
    expect(again.exitCode).toBe(1);
    expect(again.io.err()).toMatch(/^\[CONFIG_INVALID\] .* is not empty\./);
    expect(await readFile(join(home, "authority", "root-key.pem"), "utf8")).toBe(before);
  });

  it("creates nothing if one of the folders is in use", async () => {
    await mkdir(join(home, "publisher"));
    await writeFile(join(home, "publisher", "notes.txt"), "mine");
    expect((await init()).exitCode).toBe(1);
    expect(await readdir(home)).toEqual(["publisher"]);
    expect(await readFile(join(home, "publisher", "notes.txt"), "utf8")).toBe("mine");
  });

  it("refuses invalid names, hosts, ports and interfaces", async () => {
    for (const [argv, exitCode] of [
      [["--name", "North Sea"], 1],
      [["--aggregator-host", "https://example.org"], 2],
      [["--grpc-port", "70000"], 2],
      [["--listen", "eth0"], 2],
      [["--public-url", "ftp://example.org"], 2],
    ] as const) {
      expect((await init(...argv)).exitCode, argv.join(" ")).toBe(exitCode);
    }
    expect(await readdir(home)).toEqual([]);
  });
});
