import { canonicalJson, readCanonicalBytes } from "@consilium/core/canonicalJson";
import type { ConsiliumError } from "@consilium/core/errors";
import { readSaid } from "@consilium/core/readSaid";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { AnySaid } from "@consilium/words/said";
import { z } from "zod";
import { fault, reason } from "../fault.js";
import { clockSkewMs } from "./certificates.js";
import { isSignedBy, readSignedLines } from "./signedLines.js";
import { verifyIssuer } from "./verify.js";

/** A confirmation of ours has about 1,300 bytes, most of them the issuing certificate. */
export const confirmationMaxBytes = 16_384;

export const confirmationType = "consilium-revocations-confirmation-v1";

const schema = z.strictObject({
  confirmedAt: z.int().nonnegative().max(8.64e15),
  federation: z.string().max(40),
  issuer: z.base64url().max(confirmationMaxBytes),
  listSha256: z.string().length(64),
  sequence: z.int().positive(),
  type: z.literal(confirmationType),
});

/**
 * Checks a confirmation from anyone with the root certificate alone.
 * @param list - the list that it must be of
 * @param options.now - milliseconds since 1970
 * @returns when the list was confirmed, in milliseconds since 1970, or REVOCATIONS_INVALID
 */
export function verifyConfirmation(
  bytes: Uint8Array,
  list: { readonly bytes: Uint8Array; readonly sequence: number },
  options: { readonly rootPem: string; readonly now: number },
): Result<number, ConsiliumError> {
  const refuse = (why: AnySaid) => err(fault("REVOCATIONS_INVALID", "expelled.confirmation", { why }));
  if (bytes.length > confirmationMaxBytes)
    return refuse(reason("signed.too-long", { max: confirmationMaxBytes }));
  const lines = readSignedLines(bytes);
  const parsed = lines === undefined ? undefined : parse(lines.json);
  if (lines === undefined || parsed === undefined) return refuse(reason("signed.malformed", {}));
  const { confirmedAt, federation, sequence, listSha256 } = parsed;
  // As at the time of the confirmation: a list may be looked at again after the issuing certificate has ended.
  const issuer = verifyIssuer(Buffer.from(parsed.issuer, "base64url"), {
    rootPem: options.rootPem,
    now: confirmedAt,
  });
  if (!issuer.ok) return refuse(readSaid(issuer.error.message)!);
  if (!isSignedBy(lines, issuer.value.key)) return refuse(reason("signed.signature", {}));
  if (federation !== issuer.value.federation) return refuse(reason("signed.other-federation", {}));
  if (sequence !== list.sequence || listSha256 !== sha256(list.bytes))
    return refuse(reason("expelled.other-list", { expected: list.sequence, got: sequence }));
  if (confirmedAt > options.now + clockSkewMs)
    return refuse(reason("expelled.future", { at: nameOf(new Date(confirmedAt).toISOString()) }));
  return ok(confirmedAt);
}

function parse(json: Buffer): z.output<typeof schema> | undefined {
  const raw = readCanonicalBytes(json);
  if (!raw.ok) return undefined;
  const { success, data } = schema.safeParse(raw.value);
  return success && canonicalJson(data) === canonicalJson(raw.value) ? data : undefined;
}
