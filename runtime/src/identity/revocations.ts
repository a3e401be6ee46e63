import { X509Certificate } from "node:crypto";
import { canonicalJson, readCanonicalBytes } from "@consilium/core/canonicalJson";
import type { ConsiliumError } from "@consilium/core/errors";
import { parseSha256, parseSiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import type { AnySaid } from "@consilium/words/said";
import { z } from "zod";
import { fault, reason } from "../fault.js";
import { readAuthorityUri } from "./names.js";
import type { Revocation, RevocationList } from "./revoked.js";
import { isSignedBy, readSignedLines } from "./signedLines.js";
import { pemToDer, uriNames, x509 } from "./x509.js";

/** More than any federation expels; limits the input from a peer. */
const revocationsMaxBytes = 1 << 20;

/** Lists that were signed before lists had dates; they hold until the next one is signed. */
const undatedType = "consilium-revocations-v1";
const datedType = "consilium-revocations-v2";

const listShape = {
  federation: z.string().max(40),
  revocations: z
    .array(
      z.strictObject({
        reason: z.string().max(200),
        revokedAt: z.int().nonnegative(),
        signingKeyFingerprint: z.string(),
        siteId: z.string(),
      }),
    )
    .max(2000),
  sequence: z.int().positive(),
};

export const listSchema = z.discriminatedUnion("type", [
  z.strictObject({ ...listShape, type: z.literal(undatedType) }),
  z.strictObject({
    ...listShape,
    issuedAt: z.int().nonnegative().max(8.64e15),
    nextUpdate: z.int().nonnegative().max(8.64e15),
    type: z.literal(datedType),
  }),
]);

/** What is signed; revocations in the order of their fingerprints, so that a list has one text. */
export function canonicalBytes({ federation, sequence, revocations, dates }: RevocationList): Buffer {
  const sorted = [...revocations].sort((a, b) =>
    a.signingKeyFingerprint < b.signingKeyFingerprint ? -1 : 1,
  );
  const type = dates === null ? undatedType : datedType;
  return Buffer.from(canonicalJson({ federation, revocations: sorted, sequence, type, ...dates }), "utf8");
}

/**
 * Checks a list from anyone with the root certificate alone.
 * @param options.knownSequence - of the newest list seen before, 0 if none
 * @returns the list, REVOCATIONS_INVALID, or REVOCATIONS_STALE for a lower sequence than the known one
 */
export function verifyRevocations(
  bytes: Uint8Array,
  options: { rootPem: string; knownSequence: number },
): Result<RevocationList, ConsiliumError> {
  const refuse = (why: AnySaid) => err(fault("REVOCATIONS_INVALID", "expelled.invalid", { why }));
  if (bytes.length > revocationsMaxBytes)
    return refuse(reason("signed.too-long", { max: revocationsMaxBytes }));
  const lines = readSignedLines(bytes);
  if (lines === undefined) return refuse(reason("signed.malformed", {}));
  const { json } = lines;
  const rootDer = pemToDer(options.rootPem);
  if (!isSignedBy(lines, new X509Certificate(rootDer).publicKey))
    return refuse(reason("signed.signature", {}));
  const parsed = parseList(json);
  if (!parsed) return refuse(reason("signed.malformed", {}));
  if (parsed.federation !== readAuthorityUri(uriNames(new x509.X509Certificate(rootDer)), "root")) {
    return refuse(reason("signed.other-federation", {}));
  }
  if (parsed.sequence < options.knownSequence) {
    return err(
      fault("REVOCATIONS_STALE", "expelled.stale", { got: parsed.sequence, known: options.knownSequence }),
    );
  }
  return ok(parsed);
}

function parseList(json: Buffer): RevocationList | undefined {
  const raw = readCanonicalBytes(json);
  if (!raw.ok) return undefined;
  const checked = listSchema.safeParse(raw.value);
  if (!checked.success) return undefined;
  const revocations: Revocation[] = [];
  for (const entry of checked.data.revocations) {
    const siteId = parseSiteId(entry.siteId);
    const fingerprint = parseSha256(entry.signingKeyFingerprint);
    if (!siteId.ok || !fingerprint.ok) return undefined;
    revocations.push({ ...entry, siteId: siteId.value, signingKeyFingerprint: fingerprint.value });
  }
  const { federation, sequence } = checked.data;
  let dates: RevocationList["dates"] = null;
  if (checked.data.type === datedType) {
    const { issuedAt, nextUpdate } = checked.data;
    if (nextUpdate <= issuedAt) return undefined;
    dates = { issuedAt, nextUpdate };
  }
  const list = { federation, sequence, revocations, dates };
  return canonicalBytes(list).equals(json) ? list : undefined;
}
