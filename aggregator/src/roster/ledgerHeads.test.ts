import { canonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { generateSigningKey, signMessage } from "@consilium/secure-sum/crypto/sign";
import { describe, expect, it } from "vitest";
import { testRegistry } from "../../testing/roster/registry.js";
import { keepLedgerHead, ledgerPosition } from "./ledgerHeads.js";
import type { SiteRegistry } from "./registry.js";

const site = "hospital-a" as SiteId;
const { publicKey: signingKey, privateKey } = generateSigningKey();
const peer = { site, signingKey };

function headAt(sequence: number, change: Record<string, unknown> = {}) {
  const head = canonicalJson({ sequence, hash: "a".repeat(64), populations: {}, ...change });
  return { head, signature: signMessage(privateKey, Buffer.from(`consilium ledger head v1\n${head}`)) };
}

function registry(): SiteRegistry {
  const { registry, invite } = testRegistry();
  invite(site, "b".repeat(64) as Sha256, 1);
  return registry;
}

function codeOf(work: () => void): string {
  try {
    work();
    return "kept";
  } catch (error) {
    return error instanceof ConsiliumError ? error.code : String(error);
  }
}

describe("the head of a site's ledger", () => {
  it("is kept at its newest, and never lowered", () => {
    const sites = registry();
    expect(sites.ledgerHead(site)).toBeNull();
    keepLedgerHead(sites, peer, headAt(0));
    expect(sites.ledgerHead(site)).toMatchObject({ sequence: 0 });
    const newest = headAt(7);
    for (const head of [newest, headAt(3), headAt(7, { populations: { default: {} } }), headAt(6)]) {
      keepLedgerHead(sites, peer, head);
      const { head: text, signature, sequence } = sites.ledgerHead(site)!;
      expect({ text, sequence }).toEqual({ text: newest.head, sequence: 7 });
      expect(Buffer.from(signature).equals(newest.signature)).toBe(true);
    }
  });

  it("must be signed by the site that shows it", () => {
    const sites = registry();
    const genuine = headAt(5);
    const other = generateSigningKey();
    expect(codeOf(() => keepLedgerHead(sites, { ...peer, signingKey: other.publicKey }, genuine))).toBe(
      "FIELD_INVALID",
    );
    expect(codeOf(() => keepLedgerHead(sites, peer, { ...genuine, head: headAt(6).head }))).toBe(
      "FIELD_INVALID",
    );
    expect(sites.ledgerHead(site)).toBeNull();
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "null"],
    ["no sequence", canonicalJson({ hash: "a".repeat(64) })],
    ["half a sequence", canonicalJson({ sequence: 1.5, hash: "a".repeat(64) })],
    ["a sequence below zero", canonicalJson({ sequence: -1, hash: "a".repeat(64) })],
    ["a sequence in words", canonicalJson({ sequence: "7", hash: "a".repeat(64) })],
    ["no hash", canonicalJson({ sequence: 1 })],
    ["too short a hash", canonicalJson({ sequence: 1, hash: "a" })],
  ])("is refused with %s", (_, head) => {
    expect(codeOf(() => ledgerPosition({ head }))).toBe("FIELD_INVALID");
  });
});
