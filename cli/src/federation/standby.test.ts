import { X509Certificate } from "node:crypto";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { loadIssuer } from "@consilium/runtime/identity/authorityFiles";
import { loadIdentity } from "@consilium/runtime/identity/files";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-standby-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function cli(...args: string[]) {
  const io = capturedIo();
  return { code: await runCli([...args, "--home", home, "--json"], io), said: () => JSON.parse(io.out()) };
}

async function init(...args: string[]): Promise<void> {
  expect((await cli("init", "--aggregator-host", "agg.example.org", ...args)).code).toBe(0);
}

const store = "postgres://consilium@db.example.org/consilium";
const second = () => join(home, "second");
const configOf = async (folder: string) =>
  parse(await readFile(join(folder, "config.yaml"), "utf8")) as Record<string, unknown>;
const create = (...args: string[]) => cli("standby", second(), "--host", "second.example.org", ...args);

describe("consilium standby", () => {
  it("makes a second aggregator with keys of its own, and has the two know each other", async () => {
    await init("--store", store);
    const first = join(home, "aggregator");
    expect((await create()).said()).toMatchObject({ folder: second(), address: "second.example.org:7443" });
    const [mine, theirs] = [await configOf(second()), await configOf(first)];
    expect(mine).toMatchObject({
      store,
      federation: theirs.federation,
      publisher: theirs.publisher,
      advertise: "second.example.org:7443",
      standby: { name: "second", others: ["agg.example.org:7443"] },
    });
    expect(theirs).toMatchObject({
      advertise: "agg.example.org:7443",
      standby: { name: "first", others: ["second.example.org:7443"] },
    });
    const now = Date.now();
    const identities = [first, second()].map(async (folder) =>
      unwrap(await loadIdentity(join(folder, "identity"), now)),
    );
    const [a, b] = await Promise.all(identities);
    expect([b!.role, b!.federation, b!.rootPem]).toEqual([a!.role, a!.federation, a!.rootPem]);
    expect(b!.fingerprint).not.toBe(a!.fingerprint);
    expect(new X509Certificate(b!.chainPem).checkHost("second.example.org")).toBeDefined();
    const issuers = await Promise.all([first, second()].map((folder) => loadIssuer(join(folder, "issuing"))));
    expect(unwrap(issuers[0]!).certificatePem).not.toBe(unwrap(issuers[1]!).certificatePem);
    for (const file of ["operator-token", "revocations"])
      expect(await readFile(join(second(), file))).toEqual(await readFile(join(first, file)));
  });

  it("needs a store that two processes can share", async () => {
    await init();
    const { code, said } = await create();
    expect(code).not.toBe(0);
    expect(said().error).toMatchObject({ code: "CONFIG_INVALID" });
    expect(said().error.message).toContain("a standby needs a PostgreSQL store");
    await expect(access(second())).rejects.toThrow();
  });

  it("needs this federation's root key, and an empty folder; nothing is left behind otherwise", async () => {
    await init("--store", store);
    const before = await configOf(join(home, "aggregator"));
    const foreign = join(home, "foreign");
    expect(await runCli(["init", "--home", foreign, "--json"], capturedIo())).toBe(0);
    const mismatch = await create("--authority", join(foreign, "authority"));
    expect(mismatch.said().error.code).toBe("AUTHORITY_MISMATCH");
    await expect(access(second())).rejects.toThrow();
    const occupied = await cli("standby", join(home, "publisher"), "--host", "second.example.org");
    expect(occupied.said().error.code).toBe("CONFIG_INVALID");
    expect(await configOf(join(home, "aggregator"))).toEqual(before);
  });
});
