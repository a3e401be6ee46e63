import { canonicalJson } from "@consilium/core/canonicalJson";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Issuer } from "./authority.js";
import { confirmationType } from "./revocationsConfirmation.js";
import { signedLines } from "./signedLines.js";
import { pemToDer } from "./x509.js";

/**
 * States that a list of expelled sites is the newest there is, now. The issuing key signs it, which is online: the root
 * key dates the list itself, and seldom.
 * @param list - as it was signed
 * @param now - milliseconds since 1970
 */
export function confirmRevocations(
  issuer: Issuer,
  list: { readonly bytes: Uint8Array; readonly sequence: number },
  now: number,
): Uint8Array {
  const json = canonicalJson({
    confirmedAt: now,
    federation: issuer.federation,
    issuer: Buffer.from(pemToDer(issuer.certificatePem)).toString("base64url"),
    listSha256: sha256(list.bytes),
    sequence: list.sequence,
    type: confirmationType,
  });
  return signedLines(Buffer.from(json, "utf8"), issuer.privateKey);
}
