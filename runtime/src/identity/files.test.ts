import { createPublicKey } from "node:crypto";
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TestFederation, testFederation } from "../../testing/identity/federation.js";
import { issueIssuer, issueLeaf } from "./authority.js";
import { loadAuthority, loadIssuer, saveAuthority, saveIssuer } from "./authorityFiles.js";
import { loadIdentity } from "./files.js";
import { completeIdentity, discardPreparedTlsKey, prepareKeys } from "./newIdentity.js";
import { ed25519Raw, privateKeyToPem } from "./x509.js";

const now = Date.UTC(2030, 0, 1);
const day = 86_400_000;
let federation: TestFederation;
let folder: string;
beforeAll(async () => {
  federation = await testFederation("north-west", now);
});
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "consilium-identity-")), "identity");
});
afterEach(() => rm(join(folder, ".."), { recursive: true, force: true }));

async function certify(options: { now?: number; lifetimeMs?: number } = {}): Promise<string> {
  const { tlsKey, signingKey } = await prepareKeys(folder);
  return issueLeaf(federation.issuer, {
    federation: "north-west",
    role: "site",
    id: unwrap(parseSiteId("clinic-1")),
    tlsPublicKey: createPublicKey(tlsKey),
    signingKey: ed25519Raw(signingKey),
    lifetimeMs: options.lifetimeMs ?? day,
    now: options.now ?? now,
  });
}

async function enrol(options: { lifetimeMs?: number } = {}) {
  const chainPem = await certify(options);
  return unwrap(await completeIdentity(folder, { chainPem, rootPem: federation.root.certificatePem, now }));
}

describe("an identity folder", () => {
  it("is written once enrolled, and loaded as it was, keys readable by the owner only", async () => {
    const identity = await enrol();
    expect(identity).toMatchObject({
      role: "site",
      id: "clinic-1",
      federation: "north-west",
      notAfter: now + day,
    });
    const loaded = unwrap(await loadIdentity(folder, now));
    expect({ ...loaded, signingKey: 0 }).toEqual({ ...identity, signingKey: 0 });
    expect((await readdir(folder)).sort()).toEqual([
      "chain.pem",
      "root.pem",
      "signing-key.pem",
      "tls-key.pem",
    ]);
    for (const name of ["signing-key.pem", "tls-key.pem"]) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(inspect(identity.signingKey, { depth: 9, showHidden: true })).not.toMatch(/[0-9a-f]{32}/i);
  });

  it.each([day, 8_000])(
    "is to be renewed at half of a life of %i ms, whatever its notBefore allows for clocks",
    async (life) => {
      const identity = await enrol({ lifetimeMs: life });
      expect(identity.renewAtMs).toBe(now + life / 2);
    },
  );

  it("keeps its signing key and changes its TLS key over a renewal", async () => {
    const before = await enrol();
    const later = now + day / 2;
    const chainPem = await certify({ now: later });
    const rootPem = federation.root.certificatePem;
    const after = unwrap(await completeIdentity(folder, { chainPem, rootPem, now: later }));
    expect(after.fingerprint).toBe(before.fingerprint);
    expect(after.tlsKeyPem).not.toBe(before.tlsKeyPem);
    expect(after.notAfter).toBe(later + day);
    expect(unwrap(await loadIdentity(folder, later)).tlsKeyPem).toBe(after.tlsKeyPem);
  });

  it("asks with the same keys until the answer is here, unless they are discarded", async () => {
    const first = await prepareKeys(folder);
    const second = await prepareKeys(folder);
    expect(privateKeyToPem(second.tlsKey)).toBe(privateKeyToPem(first.tlsKey));
    expect(privateKeyToPem(second.signingKey)).toBe(privateKeyToPem(first.signingKey));
    await discardPreparedTlsKey(folder);
    const third = await prepareKeys(folder);
    expect(privateKeyToPem(third.tlsKey)).not.toBe(privateKeyToPem(first.tlsKey));
    expect(privateKeyToPem(third.signingKey)).toBe(privateKeyToPem(first.signingKey));
  });

  it("mends a crash between the new chain and the new key", async () => {
    await enrol();
    const chainPem = await certify({ now: now + 1000 });
    await writeFile(join(folder, "chain.pem"), chainPem);
    const loaded = unwrap(await loadIdentity(folder, now + 1000));
    expect(loaded.chainPem).toBe(chainPem);
    expect(await readdir(folder)).not.toContain("tls-key.next.pem");
  });

  it("still loads while a renewal waits for its answer", async () => {
    const identity = await enrol();
    await prepareKeys(folder);
    expect(unwrap(await loadIdentity(folder, now)).tlsKeyPem).toBe(identity.tlsKeyPem);
  });

  it("refuses a chain for other keys or of another authority, and changes nothing", async () => {
    const identity = await enrol();
    await prepareKeys(folder);
    const foreign = await federation.leaf("site", "clinic-1");
    const rootPem = federation.root.certificatePem;
    for (const chainPem of [foreign.chainPem, identity.chainPem, "nonsense", ""]) {
      const result = await completeIdentity(folder, { chainPem, rootPem, now });
      expect(result.ok ? "ok" : result.error.code).toBe("CERTIFICATE_INVALID");
    }
    const other = await testFederation("north-west", now);
    const result = await completeIdentity(folder, {
      chainPem: await certify(),
      rootPem: other.root.certificatePem,
      now,
    });
    expect(result.ok ? "ok" : result.error.code).toBe("CERTIFICATE_INVALID");
    expect(unwrap(await loadIdentity(folder, now)).chainPem).toBe(identity.chainPem);
  });

  it("says when it is missing, expired or damaged", async () => {
    const codeAt = async (time: number) => {
      const result = await loadIdentity(folder, time);
      return result.ok ? "ok" : result.error.code;
    };
    expect(await codeAt(now)).toBe("STATE_MISSING");
    await enrol();
    expect(await codeAt(now + day + 1000)).toBe("CERTIFICATE_INVALID");
    await rename(join(folder, "signing-key.pem"), join(folder, "elsewhere.pem"));
    expect(await codeAt(now)).toBe("CERTIFICATE_INVALID");
    await writeFile(join(folder, "signing-key.pem"), await readFile(join(folder, "tls-key.pem")));
    expect(await codeAt(now)).toBe("CERTIFICATE_INVALID");
  });
});

describe("authority and issuing folders", () => {
  it("are written and loaded, and the root is never replaced", async () => {
    await saveAuthority(folder, federation.root);
    const loaded = unwrap(await loadAuthority(folder));
    expect(loaded).toMatchObject({ federation: "north-west", fingerprint: federation.root.fingerprint });
    expect((await stat(join(folder, "root-key.pem"))).mode & 0o777).toBe(0o600);
    await expect(saveAuthority(folder, federation.root)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    const issuer = await issueIssuer(loaded, { now });
    expect(issuer.federation).toBe("north-west");
  });

  it("hold the issuing key, readable by the owner only", async () => {
    await saveIssuer(folder, federation.issuer);
    const loaded = unwrap(await loadIssuer(folder));
    expect(loaded.certificatePem).toBe(federation.issuer.certificatePem);
    expect(privateKeyToPem(loaded.privateKey)).toBe(privateKeyToPem(federation.issuer.privateKey));
    expect((await stat(join(folder, "issuer.pem"))).mode & 0o777).toBe(0o600);
  });

  it("say when they are missing or do not match", async () => {
    const codeOf = (result: { ok: true } | { ok: false; error: { code: string } }) =>
      result.ok ? "ok" : result.error.code;
    expect(codeOf(await loadAuthority(folder))).toBe("STATE_MISSING");
    expect(codeOf(await loadIssuer(folder))).toBe("STATE_MISSING");
    await saveAuthority(folder, federation.root);
    const other = await testFederation("north-west", now);
    await writeFile(join(folder, "root-key.pem"), privateKeyToPem(other.root.privateKey));
    expect(codeOf(await loadAuthority(folder))).toBe("CERTIFICATE_INVALID");
  });
});
