import { signatureBytes } from "@consilium/secure-sum/crypto/sign";
import { z } from "zod";
import { base64urlOf, bytesOfLatin1, fromBase64url, latin1Of, utf8Of } from "../bytes.js";
import { canonicalJson, readCanonicalBytes } from "../canonicalJson.js";
import { ConsiliumError } from "../errors.js";
import { err, ok, type Result } from "../result.js";
import { releaseIdPattern } from "./content.js";
import { type DetachedSignature, readHeader, signatureHeader } from "./signature.js";
import { type ReleaseSigner, type SignerChecks, verifySigner } from "./signer.js";

/**
 * `withdrawal.jws`: what the aggregator says of a release after its publication. A compact JSON Web Signature [RFC7515]
 * by the key that signs certificates, with a `typ` of its own; its payload is the canonical JSON of `Withdrawal`. Only
 * one spelling is accepted, so that no changed byte of the file can still verify.
 */
export const withdrawalFile = "withdrawal.jws";

/** Two certificates of at most 8 KiB, encoded twice, and a payload of at most 4 KiB of reason. */
export const withdrawalFileMaxBytes = 60_000;

export const reasonMaxLength = 1_000;

/** Why, in a sentence or some: shown on public pages, so no control characters but line breaks. */
export const reasonSchema = z
  .string()
  .trim()
  .min(1)
  .max(reasonMaxLength)
  .regex(/^[^\p{Control}\p{Surrogate}]+$/u, "one line of text, without control characters");

const releaseId = z.string().max(80).regex(releaseIdPattern);

const withdrawalSchema = z
  .strictObject({
    format: z.literal("consilium-withdrawal/1"),
    federation: z.string().min(1).max(100),
    release: releaseId,
    /** SHA-256 of the release's certificate.json, and so of every file of it. */
    certificateSha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** `withdrawn`: not to be used, and final. `superseded`: another release is to be used in its place. */
    status: z.enum(["withdrawn", "superseded"]),
    reason: reasonSchema,
    issuedAt: z.iso.datetime(),
    supersededBy: releaseId.nullable(),
  })
  .refine(({ status, supersededBy }) => status === "withdrawn" || supersededBy !== null, {
    message: "a superseded release names the one that supersedes it",
  })
  .refine(({ release, supersededBy }) => release !== supersededBy, {
    message: "a release cannot supersede itself",
  });

export type Withdrawal = z.output<typeof withdrawalSchema>;
export type WithdrawalStatus = Withdrawal["status"];

/**
 * The bytes of a withdrawal.jws.
 * @param chainDer - the signer's certificate, then the issuing one
 * @param sign - Ed25519, with the key that the first of them names
 * @throws ZodError if the statement is not one
 */
export function signedWithdrawal(
  withdrawal: Withdrawal,
  chainDer: readonly Uint8Array[],
  sign: (message: Uint8Array) => Uint8Array,
): Uint8Array {
  const payload = base64urlOf(utf8Of(canonicalJson(withdrawalSchema.parse(withdrawal))));
  const signed = `${signatureHeader(chainDer, "consilium-withdrawal")}.${payload}`;
  return bytesOfLatin1(`${signed}.${base64urlOf(sign(bytesOfLatin1(signed)))}`);
}

const corrupt = (what: string) =>
  err(new ConsiliumError("RELEASE_CORRUPT", `${withdrawalFile}: ${what}`, { remedy: "get it again" }));

function parse(
  file: Uint8Array,
): Result<{ readonly withdrawal: Withdrawal; readonly signed: DetachedSignature }, ConsiliumError> {
  if (file.length > withdrawalFileMaxBytes) return corrupt(`longer than ${withdrawalFileMaxBytes} bytes`);
  const [header = "", payload = "", encoded = "", ...more] = latin1Of(file).split(".");
  const chainDer = readHeader(header, "consilium-withdrawal");
  const signature = fromBase64url(encoded);
  const bytes = fromBase64url(payload);
  if (
    chainDer === undefined ||
    signature?.length !== signatureBytes ||
    bytes === undefined ||
    more.length > 0
  )
    return corrupt("not a withdrawal signed by Consilium");
  const raw = readCanonicalBytes(bytes);
  if (!raw.ok) return corrupt(`its statement is ${raw.error}`);
  const parsed = withdrawalSchema.safeParse(raw.value);
  // A reason is trimmed when it is read.
  if (!parsed.success || canonicalJson(parsed.data) !== canonicalJson(raw.value))
    return corrupt("its statement is malformed");
  const signedBytes = bytesOfLatin1(`${header}.${payload}`);
  return ok({ withdrawal: parsed.data, signed: { chainDer, signature, signedBytes } });
}

/**
 * Whether a withdrawal.jws is an aggregator's word on a release. Its signer's certificate must have been valid when it
 * says that it signed, as for a certificate of a release.
 * @param of - the release that it must be of, with the SHA-256 of its certificate.json; null accepts any
 * @returns what it says and who signed it; RELEASE_CORRUPT if it is malformed, forged or of another release
 */
export function verifyWithdrawal(
  file: Uint8Array,
  options: SignerChecks & {
    readonly of: { readonly release: string; readonly certificateSha256: string } | null;
  },
): Result<{ readonly withdrawal: Withdrawal; readonly signer: ReleaseSigner }, ConsiliumError> {
  const parsed = parse(file);
  if (!parsed.ok) return parsed;
  const { withdrawal, signed } = parsed.value;
  const { federation, issuedAt } = withdrawal;
  const stated = { file: withdrawalFile, of: "its statement", federation, issuedAt };
  const signer = verifySigner(signed, stated, options);
  if (!signer.ok) return signer;
  const { of } = options;
  if (of !== null && of.release !== withdrawal.release)
    return corrupt(`it is of release ${withdrawal.release}, not of ${of.release}`);
  if (of !== null && of.certificateSha256 !== withdrawal.certificateSha256)
    return corrupt(`it is of another certificate of release ${of.release}`);
  return ok({ withdrawal, signer: signer.value });
}

/** The refusal that a withdrawn release is answered with. */
export function withdrawnFault(
  withdrawal: Pick<Withdrawal, "release" | "reason" | "issuedAt" | "supersededBy">,
): ConsiliumError {
  const { release, reason, issuedAt, supersededBy } = withdrawal;
  return new ConsiliumError(
    "RELEASE_WITHDRAWN",
    `release ${release} was withdrawn on ${issuedAt.slice(0, 10)}: ${reason}`,
    supersededBy === null ? {} : { remedy: `use release ${supersededBy} instead` },
  );
}

/** What a reader is told of a release that is withdrawn or superseded: since when, what to do, why. */
export function withdrawalSentences(given: {
  readonly status: WithdrawalStatus;
  readonly reason: string;
  readonly issuedAt: string;
  readonly supersededBy: { readonly id: string } | null;
}): string {
  const { status, supersededBy } = given;
  const day = given.issuedAt.slice(0, 10);
  const instead = supersededBy === null ? "" : ` Use release ${supersededBy.id} instead.`;
  const what = status === "withdrawn" ? `Withdrawn on ${day}: do not use it.` : `Superseded on ${day}.`;
  return `${what}${instead} Reason: ${given.reason}`;
}
