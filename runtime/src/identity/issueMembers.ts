import { sign } from "node:crypto";
import { canonicalJson } from "@consilium/core/canonicalJson";
import type { Member } from "@consilium/release/members";
import type { Authority } from "./authority.js";
import { rootKeyHash } from "./rootKey.js";

/**
 * Signs a list of the federation's members with its root key, as it is published (docs/FORMAT.md#members).
 * @param members - one for each key, at least one, in any order
 * @param issuedAt - ISO 8601 with milliseconds; later than any list before it
 * @returns canonical JSON as UTF-8
 */
export function issueMembers(root: Authority, members: readonly Member[], issuedAt: string): Uint8Array {
  const sorted = [...members].sort((a, b) => (a.signingKeyFingerprint < b.signingKeyFingerprint ? -1 : 1));
  const list = {
    format: "consilium-members/1",
    federation: root.federation,
    root: rootKeyHash(root.certificatePem),
    issuedAt,
    members: sorted,
  };
  const signature = sign("sha256", Buffer.from(canonicalJson(list), "utf8"), root.privateKey);
  const signed = canonicalJson({ ...list, signature: signature.toString("base64url") });
  return Uint8Array.from(Buffer.from(signed, "utf8"));
}
