import { ConsiliumError } from "@consilium/core/errors";
import type { ReleaseSigner } from "@consilium/core/release/signer";
import { err, ok, type Result } from "@consilium/core/result";
import { type ShownCertificate, shownCertificate } from "./certificate.js";
import { parseCertificate } from "./v2/schema.js";
import * as v2 from "./v2/verify.js";
import { type ReadResult, resultFault } from "./v3/result.js";
import { readCertificate } from "./v3/schema.js";
import type { VerifiedStatement } from "./v3/statement.js";
import * as v3 from "./v3/verify.js";

export type { CertifiedSite, StatementChecks } from "./v2/statement.js";
export type { CertificateUnderTest, ReleaseUnderTest, Signed } from "./v3/verify.js";

/** Releases of either format, each verified by its own folder. */
export interface VerifiedRelease {
  readonly certificate: ShownCertificate;
  readonly signer: ReleaseSigner;
  readonly statement: VerifiedStatement;
}

/** In canonical JSON nothing but the certificate's own key is spelled so: quotation marks within a text are escaped. */
const ofFormat2 = '"format":"consilium-certificate/2"';
const isFormat2 = (bytes: Uint8Array) => new TextDecoder().decode(bytes).includes(ofFormat2);

/** Reads a certificate's bytes. Says nothing of who signed them. @returns RELEASE_CORRUPT for anything else */
export function readShown(bytes: Uint8Array): Result<ShownCertificate, ConsiliumError> {
  const read = isFormat2(bytes) ? parseCertificate(bytes) : readCertificate(bytes);
  return read.ok ? ok(shownCertificate(read.value)) : read;
}

/** `v3/verify.ts` says what is verified. */
export const verifySigned = (
  release: v3.Signed,
): Result<Pick<VerifiedRelease, "certificate" | "signer">, ConsiliumError> =>
  isFormat2(release.certificate) ? shown(v2.verifySigned(release)) : shown(v3.verifySigned(release));

export const verifyCertificate = (
  release: v3.CertificateUnderTest,
): Result<VerifiedRelease, ConsiliumError> =>
  isFormat2(release.certificate)
    ? shown(v2.verifyCertificate(release))
    : shown(v3.verifyCertificate(release));

export const verifyRelease = async (
  release: v3.ReleaseUnderTest,
): Promise<Result<VerifiedRelease, ConsiliumError>> =>
  isFormat2(release.certificate)
    ? shown(await v2.verifyRelease(release))
    : shown(await v3.verifyRelease(release));

function shown<T extends { readonly certificate: Parameters<typeof shownCertificate>[0] }>(
  verified: Result<T, ConsiliumError>,
): Result<Omit<T, "certificate"> & { readonly certificate: ShownCertificate }, ConsiliumError> {
  if (!verified.ok) return verified;
  return ok({ ...verified.value, certificate: shownCertificate(verified.value.certificate) });
}

/**
 * Whether a release's rows are those of the result that its sites signed, for a reader that has looked at each file's hash itself.
 * @returns RELEASE_CORRUPT naming the file otherwise; format 2 binds no result
 */
export async function verifyResult(
  certificate: Uint8Array,
  files: ReadResult,
): Promise<Result<null, ConsiliumError>> {
  if (isFormat2(certificate)) return ok(null);
  const read = readCertificate(certificate);
  if (!read.ok) return read;
  const wrong = await resultFault(read.value, files);
  if (wrong === null) return ok(null);
  return err(new ConsiliumError("RELEASE_CORRUPT", `${wrong.file}: ${wrong.what}`));
}
