import { ConsiliumError } from "@consilium/core/errors";
import { parseSignature } from "@consilium/core/release/signature";
import { type ReleaseSigner, type SignerChecks, verifySigner } from "@consilium/core/release/signer";
import { err, ok, type Result } from "@consilium/core/result";
import {
  type Certificate,
  certificateFile,
  parseCertificate,
  type ReleaseFile,
  signatureFile,
} from "./schema.js";
import { type StatementChecks, type VerifiedStatement, verifyStatement } from "./statement.js";

interface Signed extends SignerChecks {
  /** The bytes of certificate.json. */
  readonly certificate: Uint8Array;
  /** The bytes of certificate.jws. */
  readonly signature: Uint8Array;
}

export interface CertificateUnderTest extends Signed, StatementChecks {}

export interface ReleaseUnderTest extends CertificateUnderTest {
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
  const certificate = parseCertificate(release.certificate);
  if (!certificate.ok) return certificate;
  const signature = parseSignature(release.signature, release.certificate);
  if (!signature.ok) return signature;
  const { federation, issuedAt } = certificate.value;
  const stated = { file: signatureFile, of: certificateFile, federation, issuedAt };
  const signer = verifySigner(signature.value, stated, release);
  return signer.ok ? ok({ certificate: certificate.value, signer: signer.value }) : signer;
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
  return statement.ok ? ok({ ...signed.value, statement: statement.value }) : statement;
}

/**
 * Whether a release is exactly what its certificate says: signed by an aggregator of the trusted federation and
 * countersigned by its sites, every file there and unchanged, and no other file.
 * @returns what was verified; RELEASE_CORRUPT naming the first file that is missing, extra or changed; or what
 *   `verifyCertificate` found wrong
 */
export async function verifyRelease(
  release: ReleaseUnderTest,
): Promise<Result<VerifiedRelease, ConsiliumError>> {
  const verified = verifyCertificate(release);
  if (!verified.ok) return verified;
  const { files } = verified.value.certificate;
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
  return verified;
}

/** A file name from a folder that anybody may have written, fit for a terminal. */
function printable(name: string): string {
  return name.slice(0, 100).replace(/[^\x20-\x7e]/g, "?");
}
