import { nameOf } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import { reason } from "../fault.js";
import "reflect-metadata";
import { readAuthorityUri, readIdentityUris } from "@consilium/core/identity/names";
import * as x509 from "@peculiar/x509";

/**
 * The rules of the federation's certificates (RFC 5280): a leaf, signed by an issuing certificate, signed by the root;
 * ECDSA on P-256; constraints, usages and names of each. The services and the pages apply these same rules, so this file
 * runs in a browser: signatures are checked by the caller, with what each has.
 */

/** A certificate of ours has about 700 bytes. */
export const certificateMaxBytes = 8192;

export type Which = "root" | "issuing" | "own";

/** The certificates of a chain, or whether each carries a valid signature of the one above it (the root: of itself). */
export type Chain<T> = Readonly<Record<Which, T>>;
type Authority<T> = Readonly<Record<"root" | "issuing", T>>;

/** What is wrong, and with which certificate. */
export interface ChainFault {
  readonly which: Which;
  readonly why: AnySaid;
}

/** When one certificate of a chain is valid, in milliseconds since 1970. */
export interface Validity {
  readonly which: Which;
  readonly notBefore: number;
  readonly notAfter: number;
}

type Identity = NonNullable<ReturnType<typeof readIdentityUris>>;

/** Extensions that this file checks, or that bind nobody: a critical one of another kind is refused (RFC 5280 4.2). */
const knownExtensions: ReadonlySet<string> = new Set([
  "2.5.29.14", // subject key identifier
  "2.5.29.15", // key usage
  "2.5.29.17", // subject alternative name
  "2.5.29.19", // basic constraints
  "2.5.29.35", // authority key identifier
  "2.5.29.37", // extended key usage
]);

/** @returns undefined for anything but one P-256 certificate of at most `certificateMaxBytes` bytes with nothing behind it */
export function parseCertificate(der: Uint8Array): x509.X509Certificate | undefined {
  try {
    if (der.length > certificateMaxBytes) return undefined;
    const certificate = new x509.X509Certificate(Uint8Array.from(der));
    return certificate.rawData.byteLength === der.length && isP256(certificate.publicKey)
      ? certificate
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What is wrong with root and issuing certificate, or null. Signatures are checked first: unsigned content is not
 * parsed.
 * @throws whatever the parser finds malformed: it reads an extension only when it is looked at
 */
export function authorityFault(
  { root, issuing }: Authority<x509.X509Certificate>,
  isSigned: Authority<boolean>,
): ChainFault | null {
  return rootFault(root, isSigned.root) ?? issuingFault(issuing, root, isSigned.issuing);
}

export function rootFault(root: x509.X509Certificate, isSigned: boolean): ChainFault | null {
  return faultOf("root", linkFault(root, root, isSigned) ?? caFault(root, 1));
}

function issuingFault(
  issuing: x509.X509Certificate,
  root: x509.X509Certificate,
  isSigned: boolean,
): ChainFault | null {
  const fault = faultOf("issuing", linkFault(issuing, root, isSigned) ?? caFault(issuing, 0));
  if (fault !== null) return fault;
  const federation = federationOf(root);
  const isOfOne = federation !== undefined && readAuthorityUri(uriNames(issuing), "issuer") === federation;
  return isOfOne ? null : faultOf("issuing", reason("chain.other-federation", {}));
}

/**
 * What is wrong with a leaf below authorities that are sound, or null; dates are not looked at.
 * @param purpose - the side of a connection, or of a signature ("client"), that the leaf must be made for
 * @throws as `authorityFault`
 */
export function ownFault(
  { root, issuing, own }: Chain<x509.X509Certificate>,
  isSigned: boolean,
  purpose: "client" | "server",
): ChainFault | null {
  const fault = faultOf("own", linkFault(own, issuing, isSigned) ?? leafFault(own, purpose));
  if (fault !== null) return fault;
  const named = identityOf(own);
  return named !== undefined && named.name.federation === federationOf(root)
    ? null
    : faultOf("own", reason("chain.no-identity", {}));
}

/** The identity stated by a leaf, unproven by itself. */
export function identityOf(leaf: x509.X509Certificate): Identity | undefined {
  return readIdentityUris(uriNames(leaf));
}

/** The federation that a root certificate is for; undefined if it names none. */
export function federationOf(root: x509.X509Certificate): string | undefined {
  return readAuthorityUri(uriNames(root), "root");
}

export function validityOf(which: Which, { notBefore, notAfter }: x509.X509Certificate): Validity {
  return { which, notBefore: notBefore.getTime(), notAfter: notAfter.getTime() };
}

/** The first certificate that is not valid at a time, and on which side of its validity the time lies; null if all are. */
export function outsideValidity(
  validities: readonly Validity[],
  atMs: number,
): (Validity & { readonly side: "before" | "after" }) | null {
  // Written so that an invalid date (NaN) is refused too.
  const early = validities.find(({ notBefore }) => !(atMs >= notBefore));
  if (early !== undefined) return { ...early, side: "before" };
  const late = validities.find(({ notAfter }) => !(atMs <= notAfter));
  return late === undefined ? null : { ...late, side: "after" };
}

/** The URIs among a certificate's subject alternative names. */
export function uriNames(certificate: x509.X509Certificate): string[] {
  const extension = certificate.getExtension(x509.SubjectAlternativeNameExtension);
  return extension?.names.items.filter((name) => name.type === "url").map((name) => name.value) ?? [];
}

function faultOf(which: Which, why: AnySaid | undefined): ChainFault | null {
  return why === undefined ? null : { which, why };
}

function isP256({ algorithm }: x509.PublicKey): boolean {
  return algorithm.name === "ECDSA" && "namedCurve" in algorithm && algorithm.namedCurve === "P-256";
}

function linkFault(
  child: x509.X509Certificate,
  issuer: x509.X509Certificate,
  isSigned: boolean,
): AnySaid | undefined {
  if (!isSigned || !namesIssuer(child, issuer)) return reason("chain.unsigned", {});
  const unknown = child.extensions.find((one) => one.critical && !knownExtensions.has(one.type));
  return unknown ? reason("chain.extension", { extension: nameOf(unknown.type) }) : undefined;
}

/** Whether the child's issuer is the issuer's subject, byte for byte, and its key identifier the issuer's, if both are there. */
function namesIssuer(child: x509.X509Certificate, issuer: x509.X509Certificate): boolean {
  const wanted = child.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId;
  const found = issuer.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  const isKey = wanted === undefined || found === undefined || wanted === found;
  return isKey && equal(child.issuerName.toArrayBuffer(), issuer.subjectName.toArrayBuffer());
}

function equal(a: ArrayBuffer, b: ArrayBuffer): boolean {
  const [left, right] = [new Uint8Array(a), new Uint8Array(b)];
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/** The extension, if the certificate has exactly one of its kind. */
function only<T extends x509.Extension>(
  certificate: x509.X509Certificate,
  kind: new (...parts: never[]) => T,
): T | undefined {
  const found = certificate.extensions.filter((one): one is T => one instanceof kind);
  return found.length === 1 ? found[0] : undefined;
}

/** What is wrong with a certificate as one that may sign others, or undefined. */
function caFault(certificate: x509.X509Certificate, pathLength: number): AnySaid | undefined {
  const constraints = only(certificate, x509.BasicConstraintsExtension);
  if (!constraints?.ca || constraints.pathLength !== pathLength) return reason("chain.constraints", {});
  const usages = only(certificate, x509.KeyUsagesExtension)?.usages ?? 0;
  return usages & x509.KeyUsageFlags.keyCertSign ? undefined : reason("chain.not-ca", {});
}

function leafFault(certificate: x509.X509Certificate, purpose: "client" | "server"): AnySaid | undefined {
  const constraints = only(certificate, x509.BasicConstraintsExtension);
  if (!constraints || constraints.ca) return reason("chain.constraints", {});
  const usages = only(certificate, x509.KeyUsagesExtension)?.usages ?? 0;
  if (!(usages & x509.KeyUsageFlags.digitalSignature)) return reason("chain.usage", {});
  const wanted = purpose === "client" ? x509.ExtendedKeyUsage.clientAuth : x509.ExtendedKeyUsage.serverAuth;
  const extended = only(certificate, x509.ExtendedKeyUsageExtension)?.usages ?? [];
  return extended.includes(wanted) ? undefined : reason("chain.purpose", { purpose: nameOf(purpose) });
}
