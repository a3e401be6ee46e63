import { verifyMessage } from "@consilium/secure-sum/crypto/sign";
import { ConsiliumError } from "../errors.js";
import { err, ok, type Result } from "../result.js";
import { planStudy } from "../study/plan.js";
import {
  type Certificate,
  certificateFile,
  parseCertificate,
  type ReleaseFile,
  signatureFile,
} from "./certificate.js";
import { type DetachedSignature, parseSignature } from "./signature.js";
import { type StatementChecks, type VerifiedStatement, verifyStatement } from "./verifyStatement.js";

/** Who the chain in a signature proves to be, under an authority that the verifier already trusts. */
export interface ReleaseSigner {
  readonly federation: string;
  readonly role: string;
  readonly id: string;
  /** Ed25519, 32 bytes. */
  readonly signingKey: Uint8Array;
}

export interface ReleaseUnderTest
  extends Pick<StatementChecks, "methods" | "identifySite" | "verifySignature"> {
  /** The bytes of certificate.json. */
  readonly certificate: Uint8Array;
  /** The bytes of certificate.jws. */
  readonly signature: Uint8Array;
  /** Every file that is there but these two. */
  readonly present: readonly string[];
  /** Length and SHA-256 of a file that is there. Asked only after the signature has been found right. */
  digest(name: string): Promise<Omit<ReleaseFile, "name">>;
  /**
   * Verifies a chain of certificates at a time under the trusted authority, for the role of an aggregator.
   * @param atMs - milliseconds since 1970
   */
  identify(chainDer: readonly Uint8Array[], atMs: number): Result<ReleaseSigner, ConsiliumError>;
}

export interface VerifiedRelease {
  readonly certificate: Certificate;
  readonly signer: ReleaseSigner;
  /** What the verifier itself made of the certificate's claims. */
  readonly statement: VerifiedStatement;
}

const corrupt = (file: string, what: string) =>
  err(new ConsiliumError("RELEASE_CORRUPT", `${file}: ${what}`));

type Signed = Pick<ReleaseUnderTest, "certificate" | "signature" | "identify" | "verifySignature">;

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
  const signer = verifySigner(signature.value, {
    file: signatureFile,
    of: certificateFile,
    federation,
    issuedAt,
    identify: release.identify,
    verifySignature: release.verifySignature ?? verifyMessage,
  });
  return signer.ok ? ok({ certificate: certificate.value, signer: signer.value }) : signer;
}

/** Whether an aggregator of a federation signed at a time. @returns RELEASE_CORRUPT naming the file otherwise */
export function verifySigner(
  signed: DetachedSignature,
  given: Pick<ReleaseUnderTest, "identify"> & {
    readonly file: string;
    readonly of: string;
    readonly federation: string;
    readonly issuedAt: string;
    readonly verifySignature: typeof verifyMessage;
  },
): Result<ReleaseSigner, ConsiliumError> {
  const { file, of } = given;
  const signer = given.identify(signed.chainDer, Date.parse(given.issuedAt));
  if (!signer.ok)
    return err(
      new ConsiliumError("RELEASE_CORRUPT", `${file}: its signer is not accepted: ${signer.error.message}`, {
        remedy:
          "check that the root certificate is that of the release's federation; if it is, do not use the release, and report it",
      }),
    );
  const { signingKey, role, federation } = signer.value;
  if (!given.verifySignature(signingKey, signed.signedBytes, signed.signature)) {
    return corrupt(file, `the signature does not fit ${of}`);
  }
  if (role !== "aggregator") return corrupt(file, `signed by a ${role}, not by the aggregator`);
  if (federation !== given.federation)
    return corrupt(of, "its signer is of another federation than it names");
  return signer;
}

/**
 * Whether certificate and signature belong together and to an aggregator of the trusted federation, and whether what the
 * certificate says of the study and its privacy is true as far as anyone can compute, and countersigned by the sites. The
 * signer's certificate must have been valid when it says it signed, not now: a release outlives the certificates of its
 * day.
 * @returns RELEASE_CORRUPT naming the file, CERTIFICATE_EPSILON or COUNTERSIGNATURE_INVALID otherwise
 */
export function verifyCertificate(
  release: Pick<
    ReleaseUnderTest,
    "certificate" | "signature" | "identify" | "methods" | "identifySite" | "verifySignature"
  >,
): Result<VerifiedRelease, ConsiliumError> {
  const signed = verifySigned(release);
  if (!signed.ok) return signed;
  const { certificate, signer } = signed.value;
  // Only now: before the signature fits, what the certificate says is anybody's word.
  const statement = verifyStatement(certificate, {
    methods: release.methods,
    plan: planStudy,
    identifySite: release.identifySite,
    ...(release.verifySignature === undefined ? {} : { verifySignature: release.verifySignature }),
  });
  if (!statement.ok) return statement;
  return ok({ certificate, signer, statement: statement.value });
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
  const listed = new Set(verified.value.certificate.files.map((file) => file.name));
  const present = new Set(release.present);
  for (const name of present) {
    if (!listed.has(name)) return corrupt(printable(name), "the certificate does not list this file");
  }
  for (const file of verified.value.certificate.files) {
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
