import { ConsiliumError } from "@consilium/core/errors";
import { parseSignature } from "@consilium/core/release/signature";
import { type ReleaseSigner, type SignerChecks, verifySigner } from "@consilium/core/release/signer";
import { err, ok, type Result } from "@consilium/core/result";
import type { Sha256 } from "@consilium/secure-sum/ids";
import type { ReleaseFile } from "../v2/schema.js";
import type { StatementChecks } from "../v2/statement.js";
import { boundFilesFault, type ReadResult, resultFault } from "./result.js";
import { type Certificate, certificateFile, readCertificate, signatureFile } from "./schema.js";
import { type VerifiedStatement, verifyStatement } from "./statement.js";

export interface Signed extends SignerChecks {
  /** The bytes of certificate.json. */
  readonly certificate: Uint8Array;
  /** The bytes of certificate.jws. */
  readonly signature: Uint8Array;
  /** SHA-256 of the trusted root's public key (SubjectPublicKeyInfo, DER); null where a reader has no root, and learns only who says so. */
  readonly rootKey: Sha256 | null;
}

export interface CertificateUnderTest extends Signed, StatementChecks {}

export interface ReleaseUnderTest extends CertificateUnderTest, ReadResult {
  /** Every file that is there but these two. */
  readonly present: readonly string[];
  /** Length and SHA-256 of a file that is there. Asked only after the signature has been found right. */
  digest(name: string): Promise<Omit<ReleaseFile, "name">>;
}

export interface VerifiedRelease {
  readonly certificate: Certificate;
  readonly signer: ReleaseSigner;
  /** What the verifier itself made of the certificate's claims. */
  readonly statement: VerifiedStatement;
}

const corrupt = (file: string, what: string) =>
  err(new ConsiliumError("RELEASE_CORRUPT", `${file}: ${what}`));

/**
 * Whether certificate and signature belong together and to an aggregator of the trusted federation. It says nothing of
 * what the certificate says.
 * @returns RELEASE_CORRUPT naming the file otherwise
 */
export function verifySigned(
  release: Signed,
): Result<Pick<VerifiedRelease, "certificate" | "signer">, ConsiliumError> {
  const certificate = readCertificate(release.certificate);
  if (!certificate.ok) return certificate;
  const signature = parseSignature(release.signature, release.certificate);
  if (!signature.ok) return signature;
  const { stated, issuedAt } = certificate.value;
  const { name: federation, root } = stated.federation;
  const signer = verifySigner(
    signature.value,
    { file: signatureFile, of: certificateFile, federation, issuedAt },
    release,
  );
  if (!signer.ok) return signer;
  if (release.rootKey !== null && root !== release.rootKey)
    return corrupt(certificateFile, "the sites signed it for another root than the given one");
  return ok({ certificate: certificate.value, signer: signer.value });
}

/**
 * Whether certificate and signature belong together and to an aggregator of the trusted federation, and whether what the
 * certificate says holds together and is countersigned by the sites (`verifyStatement`). The signer's certificate must have been
 * valid when it says it signed, not now: a release outlives the certificates of its day.
 * @returns RELEASE_CORRUPT naming the file, CERTIFICATE_EPSILON or COUNTERSIGNATURE_INVALID otherwise
 */
export function verifyCertificate(release: CertificateUnderTest): Result<VerifiedRelease, ConsiliumError> {
  const signed = verifySigned(release);
  if (!signed.ok) return signed;
  // Only now: before the signature fits, what the certificate says is anybody's word.
  const statement = verifyStatement(signed.value.certificate, release);
  if (!statement.ok) return statement;
  const bound = boundFilesFault(signed.value.certificate);
  return bound === null
    ? ok({ ...signed.value, statement: statement.value })
    : corrupt(bound.file, bound.what);
}

/**
 * Whether a release is exactly what its certificate says: signed by an aggregator of the trusted federation and
 * countersigned by its sites, every file there and unchanged, and no other file; its rows those of the result that the sites signed.
 * @returns what was verified; RELEASE_CORRUPT naming the first file that is missing, extra or changed; or what
 *   `verifyCertificate` found wrong
 */
export async function verifyRelease(
  release: ReleaseUnderTest,
): Promise<Result<VerifiedRelease, ConsiliumError>> {
  const verified = verifyCertificate(release);
  if (!verified.ok) return verified;
  const { certificate } = verified.value;
  const files = [...certificate.files, ...certificate.renderings];
  const listed = new Set(files.map(({ name }) => name));
  const present = new Set(release.present);
  for (const name of present) {
    if (!listed.has(name)) return corrupt(printable(name), "the certificate does not list this file");
  }
  for (const file of files) {
    if (!present.has(file.name)) return corrupt(file.name, "the file is missing");
    const found = await release.digest(file.name);
    if (found.bytes !== file.bytes) {
      return corrupt(file.name, `${found.bytes} bytes, the certificate says ${file.bytes}`);
    }
    if (found.sha256 !== file.sha256) return corrupt(file.name, "its SHA-256 is not the certificate's");
  }
  const wrong = await resultFault(certificate, release);
  return wrong === null ? verified : corrupt(wrong.file, wrong.what);
}

/** A file name from a folder that anybody may have written, fit for a terminal. */
function printable(name: string): string {
  return name.slice(0, 100).replace(/[^\x20-\x7e]/g, "?");
}
