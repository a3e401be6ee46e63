import { ConsiliumError } from "@consilium/core/errors";
import {
  parseSignature,
  signatureFileBytes,
  signatureHeader,
  signedBytes,
} from "@consilium/core/release/signature";
import { err, ok } from "@consilium/core/result";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey, signMessage } from "@consilium/secure-sum/crypto/sign";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Certificate, certificateBytes } from "../../testing/v2/certificate.js";
import { identifyTestSite, testCertificate, testRun } from "../../testing/v2/run.js";
import { parseCertificate } from "./schema.js";
import { type ReleaseUnderTest, verifyRelease } from "./verify.js";

const key = generateSigningKey();
const chain = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)];
const contents: Record<string, string> = { "data.csv": "a\r\n1\r\n", "model.json": "{}\n" };
const run = testRun();
const certificate: Certificate = testCertificate(run, {
  files: Object.entries(contents).map(([name, content]) => ({
    name,
    bytes: Buffer.byteLength(content),
    sha256: sha256(content),
  })),
});

function release(overrides: Partial<ReleaseUnderTest> = {}, of: Certificate = certificate): ReleaseUnderTest {
  const bytes = certificateBytes(of);
  const header = signatureHeader(chain);
  return {
    certificate: bytes,
    signature: signatureFileBytes(header, signMessage(key.privateKey, signedBytes(header, bytes))),
    present: Object.keys(contents),
    digest: async (name) => ({ bytes: contents[name]!.length, sha256: sha256(contents[name]!) }),
    identify: (given) =>
      Buffer.concat(given).equals(Buffer.concat(chain))
        ? ok({
            federation: "test-federation",
            role: "aggregator",
            id: "aggregator",
            signingKey: key.publicKey,
          })
        : err(new ConsiliumError("CERTIFICATE_INVALID", "another chain")),
    identifySite: identifyTestSite(run.sites),
    ...overrides,
  };
}

async function faultOf(given: ReleaseUnderTest): Promise<string> {
  const verified = await verifyRelease(given);
  if (verified.ok) return "none";
  expect(verified.error.code).toBe("RELEASE_CORRUPT");
  return verified.error.message;
}

describe("verifying a release", () => {
  it("accepts one that is as its certificate says, and judges the signer at the time of signing", async () => {
    const times: number[] = [];
    const plain = release();
    const given = release({
      identify: (chainDer, atMs) => {
        times.push(atMs);
        return plain.identify(chainDer, atMs);
      },
    });
    const verified = await verifyRelease(given);
    expect(verified).toMatchObject({ ok: true, value: { certificate, signer: { id: "aggregator" } } });
    // A paper variant has no bound; its sites say so too.
    expect(verified).toMatchObject({
      value: { statement: { epsilon: null, rho: null, countersigned: { by: 3, of: 3, needed: 3 } } },
    });
    expect(times).toEqual([Date.parse(certificate.issuedAt)]);
  });

  it("names a file that is missing, extra or changed", async () => {
    expect(await faultOf(release({ present: ["data.csv"] }))).toMatch(/^model\.json: the file is missing/);
    const extra = [...Object.keys(contents), "more.txt"];
    expect(await faultOf(release({ present: extra }))).toMatch(/^more\.txt: the certificate does not list/);
    const longer = { digest: async () => ({ bytes: 7, sha256: "0".repeat(64) }) };
    expect(await faultOf(release(longer))).toMatch(/^data\.csv: 7 bytes, the certificate says 6/);
    const other = {
      digest: async (name: string) => ({ bytes: contents[name]!.length, sha256: "0".repeat(64) }),
    };
    expect(await faultOf(release(other))).toMatch(/^data\.csv: its SHA-256/);
  });

  it("fails on every changed byte of the certificate and of the signature, and asks for no file then", async () => {
    const whole = release({
      digest: () => {
        throw new Error("a file was read before the signature was verified");
      },
    });
    for (const part of ["certificate", "signature"] as const) {
      for (let at = 0; at < whole[part].length; at++) {
        const changed = Uint8Array.from(whole[part]);
        changed[at]! ^= 1 << (at % 8);
        expect(await faultOf({ ...whole, [part]: changed }), `${part} byte ${at}`).toMatch(/^certificate\./);
      }
      const longer = Uint8Array.of(...whole[part], 0x0a);
      expect(await faultOf({ ...whole, [part]: longer })).toMatch(/^certificate\./);
    }
  });

  it("refuses what the aggregator signed and the sites did not", async () => {
    const { countersignatures, privacy } = certificate;
    const without = {
      ...certificate,
      countersignatures: countersignatures.slice(1),
      missing: [run.sites[0]!.site],
    };
    const verified = await verifyRelease(release({}, without));
    expect(verified).toMatchObject({ ok: false, error: { code: "COUNTERSIGNATURE_INVALID" } });
    const proved = { ...certificate, privacy: { ...privacy, verdict: "proved" as const, reasons: [] } };
    expect(await faultOf(release({}, proved))).toMatch(/^release\.unlike-text .*privacy\.verdict/);
  });

  it("refuses another role and another federation", async () => {
    const signer = { federation: "test-federation", role: "aggregator", id: "a", signingKey: key.publicKey };
    expect(await faultOf(release({ identify: () => ok({ ...signer, role: "site" }) }))).toMatch(/by a site/);
    expect(await faultOf(release({ identify: () => ok({ ...signer, federation: "other" }) }))).toMatch(
      /another federation/,
    );
  });

  it("never throws on random bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), async (a, b) => {
        expect(await faultOf(release({ certificate: a }))).not.toBe("none");
        expect(await faultOf(release({ signature: b }))).not.toBe("none");
      }),
    );
  });
});

describe("a certificate's bytes", () => {
  it("are one text only", () => {
    const bytes = certificateBytes(certificate);
    expect(parseCertificate(bytes)).toEqual({ ok: true, value: certificate });
    const spaced = new TextEncoder().encode(JSON.stringify(certificate, null, 1));
    expect(parseCertificate(spaced)).toMatchObject({ ok: false, error: { code: "RELEASE_CORRUPT" } });
  });

  it.each([
    ["a study's text that has another hash", { study: { ...certificate.study, text: "{}" } }],
    ["a path for a name", { files: [{ name: "../x", bytes: 0, sha256: "0".repeat(64) }] }],
    ["a file twice", { files: [certificate.files[0]!, certificate.files[0]!] }],
    ["itself", { files: [{ name: "certificate.json", bytes: 0, sha256: "0".repeat(64) }] }],
  ])("may not hold %s", (_what, overrides) => {
    const bytes = new TextEncoder().encode(
      // Canonical but for the fault: keys of the certificate are written in their order.
      JSON.stringify(sorted({ ...certificate, ...overrides })),
    );
    expect(parseCertificate(bytes)).toMatchObject({ ok: false, error: { code: "RELEASE_CORRUPT" } });
  });
});

describe("a signature's file", () => {
  it("gives back chain and signature, of one spelling only", () => {
    const { certificate: bytes, signature } = release();
    const parsed = parseSignature(signature, bytes);
    expect(parsed.ok && parsed.value.chainDer).toEqual(chain);
    // 64 bytes end in a character of which four bits count for nothing: another spelling of the same signature.
    const spelt = Uint8Array.from(signature);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = String.fromCharCode(spelt.at(-1)!);
    spelt[spelt.length - 1] = alphabet.charCodeAt(alphabet.indexOf(last) + 1);
    const decoded = (file: Uint8Array) =>
      Buffer.from(Buffer.from(file).toString().split(".")[2]!, "base64url");
    expect(decoded(spelt)).toEqual(decoded(signature));
    expect(parseSignature(spelt, bytes).ok).toBe(false);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
