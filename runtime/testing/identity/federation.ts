/** A small federation for tests: one root, one issuing key, and leaves on demand. Not part of any process. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import {
  type Authority,
  createAuthority,
  type Issuer,
  issueIssuer,
  issueLeaf,
} from "../../src/identity/authority.js";
import type { Role } from "../../src/identity/names.js";
import { ed25519Raw, privateKeyToPem } from "../../src/identity/x509.js";

export interface TestLeaf {
  readonly tlsKey: KeyObject;
  readonly tlsKeyPem: string;
  readonly signingKey: KeyObject;
  readonly chainPem: string;
}

export interface TestFederation {
  readonly root: Authority;
  readonly issuer: Issuer;
  leaf(
    role: Role,
    id: string,
    options?: { now?: number; lifetimeMs?: number; signingKey?: KeyObject },
  ): Promise<TestLeaf>;
}

export async function testFederation(name = "test-federation", now = Date.now()): Promise<TestFederation> {
  const root = await createAuthority({ federation: name, now });
  const issuer = await issueIssuer(root, { now });
  return {
    root,
    issuer,
    async leaf(role, id, options = {}) {
      const tlsKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
      const signingKey = options.signingKey ?? generateKeyPairSync("ed25519").privateKey;
      const chainPem = await issueLeaf(issuer, {
        federation: name,
        role,
        id: unwrap(parseSiteId(id)),
        tlsPublicKey: createPublicKey(tlsKey),
        signingKey: ed25519Raw(signingKey),
        dnsNames: ["localhost"],
        ipAddresses: ["127.0.0.1"],
        lifetimeMs: options.lifetimeMs ?? 86_400_000,
        now: options.now ?? now,
      });
      return { tlsKey, tlsKeyPem: privateKeyToPem(tlsKey), signingKey, chainPem };
    },
  };
}

/** Writes a leaf as an identity folder, as enrolment would leave it; dates are not looked at. */
export async function writeTestIdentity(folder: string, leaf: TestLeaf, rootPem: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = {
    "signing-key.pem": privateKeyToPem(leaf.signingKey),
    "tls-key.pem": leaf.tlsKeyPem,
    "chain.pem": leaf.chainPem + rootPem,
    "root.pem": rootPem,
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name), text, { mode: 0o600 });
}
