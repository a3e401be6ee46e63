/**
 * Releases outlive versions. Each file of `core/testing/release/testVectors/v2` is a certificate of format 2, indented, as this software
 * made it in version 0.1.0 with `testCertificate` and keys that were then thrown away: five sites, all countersigned; of `dp-pca` one
 * attempt was given up and the next lost a site. In place of certificates, `chain` holds a site's name and its signing key. They verify
 * without any method or plan. If this fails, a release that somebody holds has become invalid. Never make these files anew.
 */
import { readdirSync, readFileSync } from "node:fs";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { ok } from "@consilium/core/result";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { parseCertificate } from "./schema.js";
import { type StatementChecks, verifyStatement } from "./statement.js";

const folder = new URL("../../../../core/testing/release/testVectors/v2/", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));

/** The chains of these certificates are names and keys. */
const identifySite: StatementChecks["identifySite"] = ([name, signingKey]) =>
  ok({
    federation: "test-federation",
    role: "site",
    id: Buffer.from(name!).toString(),
    signingKey: signingKey!,
  });

const read = (name: string): Uint8Array =>
  Buffer.from(canonicalJson(JSON.parse(readFileSync(new URL(name, folder), "utf8"))));

describe("a certificate of version 0.1.0", () => {
  it.each(names)("%s verifies", (name) => {
    const certificate = parseCertificate(read(name));
    expect(certificate.ok ? "ok" : certificate.error.message).toBe("ok");
    if (!certificate.ok) return;
    const verified = verifyStatement(certificate.value, { identifySite });
    expect(verified.ok ? "ok" : verified.error.message).toBe("ok");
    if (!verified.ok) return;
    expect(verified.value.countersigned.by).toBe(5);
    expect(verified.value.epsilon).toBe(certificate.value.privacy.accounting.epsilon);
  });

  it("of each kind is there, unchanged", () => {
    // Hashes of the exact bytes that were signed then.
    const hashes = Object.fromEntries(names.map((name) => [name, sha256(read(name)).slice(0, 16)]));
    expect(hashes).toEqual({
      "dp-pca.json": "42456a7907941d97",
      "dpdis-pca.json": "56f3ef8722c1dbb7",
      "elfed-pca-none.json": "30d7663c120e16af",
      "elfed-pca.json": "43b3041a6d5805c4",
    });
  });
});
