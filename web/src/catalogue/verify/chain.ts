import "reflect-metadata";
import { ConsiliumError } from "@consilium/core/errors";
import { readAuthorityUri, readIdentityUris } from "@consilium/core/identity/names";
import type { CertifiedSite } from "@consilium/core/release/verifyStatement";
import { err, ok, type Result } from "@consilium/core/result";
import * as x509 from "@peculiar/x509";

/**
 * Chains of certificates in a browser, by the rules of RFC 5280 that the federation keeps to: a leaf, signed by an issuing
 * certificate, signed by the root that the reader picked; ECDSA on P-256; dates, constraints, usages and names of each.
 */

/** What a chain proves, whatever the time. */
export interface CertifiedChain {
  readonly identity: CertifiedSite;
  /** Of the leaf, the issuing and the root certificate, milliseconds since 1970. */
  readonly validities: readonly { readonly notBefore: number; readonly notAfter: number }[];
}

/** Extensions that are checked here, or that bind nobody: a critical one of another kind is refused. */
const knownExtensions: ReadonlySet<string> = new Set([
  "2.5.29.14",
  "2.5.29.15",
  "2.5.29.17",
  "2.5.29.19",
  "2.5.29.35",
  "2.5.29.37",
]);
const certificateMaxBytes = 8_192;

/**
 * The root certificate in a file that the reader picked.
 * @returns undefined for anything but one self-signed P-256 certificate of an authority
 */
export async function readRoot(pem: string): Promise<x509.X509Certificate | undefined> {
  try {
    const [der, ...more] = x509.PemConverter.decode(pem);
    if (der === undefined || more.length > 0) return undefined;
    const root = new x509.X509Certificate(der);
    return (await linkFault(root, root)) === null && caFault(root, 1) === null ? root : undefined;
  } catch {
    return undefined;
  }
}

/** The federation that a root certificate is for; undefined if it names none. */
export function federationOf(root: x509.X509Certificate): string | undefined {
  return readAuthorityUri(uriNames(root), "root");
}

/**
 * Who a chain proves to be under a root; without a root, who it says it is, which proves nothing.
 * @param chainDer - the leaf and its issuing certificate
 * @returns CERTIFICATE_INVALID naming what is wrong
 */
export async function certifyChain(
  chainDer: readonly Uint8Array[],
  root: x509.X509Certificate | null,
): Promise<Result<CertifiedChain, ConsiliumError>> {
  try {
    const [leaf, issuer] = chainDer.map(parse);
    if (leaf === undefined || issuer === undefined)
      return invalid("a chain is a certificate and its issuing one");
    const named = readIdentityUris(uriNames(leaf));
    if (named === undefined) return invalid("it names no identity");
    const { name, signingKey } = named;
    const fault = root === null ? null : await chainFault(leaf, issuer, root, name.federation);
    if (fault !== null) return invalid(fault);
    return ok({
      identity: { ...name, signingKey },
      validities: [leaf, issuer, ...(root === null ? [] : [root])].map((one) => ({
        notBefore: one.notBefore.getTime(),
        notAfter: one.notAfter.getTime(),
      })),
    });
  } catch {
    return invalid("it is malformed");
  }
}

/** Whether a chain was valid at a time: null, or what is wrong. */
export function timeFault({ validities }: CertifiedChain, atMs: number): string | null {
  // Written so that a date that is none (NaN) is refused too.
  if (!validities.every(({ notBefore }) => atMs >= notBefore)) return "it was not valid yet";
  return validities.every(({ notAfter }) => atMs <= notAfter) ? null : "it was not valid any more";
}

async function chainFault(
  leaf: x509.X509Certificate,
  issuer: x509.X509Certificate,
  root: x509.X509Certificate,
  federation: string,
): Promise<string | null> {
  const issuing = (await linkFault(issuer, root)) ?? caFault(issuer, 0);
  if (issuing !== null) return `the issuing certificate: ${issuing}`;
  const own = (await linkFault(leaf, issuer)) ?? leafFault(leaf);
  if (own !== null) return own;
  const isOfOne =
    federationOf(root) === federation && readAuthorityUri(uriNames(issuer), "issuer") === federation;
  return isOfOne ? null : "it is of another federation than the root certificate";
}

function parse(der: Uint8Array): x509.X509Certificate {
  if (der.length > certificateMaxBytes) throw new RangeError("a certificate of ours is small");
  const certificate = new x509.X509Certificate(Uint8Array.from(der));
  // Only one encoding of what it says: nothing may stand behind it.
  if (certificate.rawData.byteLength !== der.length) throw new RangeError("bytes follow the certificate");
  return certificate;
}

async function linkFault(child: x509.X509Certificate, issuer: x509.X509Certificate): Promise<string | null> {
  const notSigned = "it is not signed by its issuer";
  if (!isP256(issuer.publicKey) || !isP256(child.publicKey)) return "its key is not on P-256";
  if (!equal(child.issuerName.toArrayBuffer(), issuer.subjectName.toArrayBuffer())) return notSigned;
  const isSigned = await child.verify({ publicKey: issuer.publicKey, signatureOnly: true });
  if (!isSigned) return notSigned;
  const unknown = child.extensions.find((one) => one.critical && !knownExtensions.has(one.type));
  return unknown === undefined ? null : `it has an unknown critical extension ${unknown.type}`;
}

function isP256({ algorithm }: x509.PublicKey): boolean {
  return algorithm.name === "ECDSA" && "namedCurve" in algorithm && algorithm.namedCurve === "P-256";
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

function caFault(certificate: x509.X509Certificate, pathLength: number): string | null {
  const constraints = only(certificate, x509.BasicConstraintsExtension);
  if (constraints?.ca !== true || constraints.pathLength !== pathLength)
    return "its basic constraints are wrong";
  const usages = only(certificate, x509.KeyUsagesExtension)?.usages ?? 0;
  return usages & x509.KeyUsageFlags.keyCertSign ? null : "it may not sign certificates";
}

function leafFault(certificate: x509.X509Certificate): string | null {
  const constraints = only(certificate, x509.BasicConstraintsExtension);
  if (constraints === undefined || constraints.ca) return "its basic constraints are wrong";
  const usages = only(certificate, x509.KeyUsagesExtension)?.usages ?? 0;
  if (!(usages & x509.KeyUsageFlags.digitalSignature)) return "its key usage is wrong";
  const extended = only(certificate, x509.ExtendedKeyUsageExtension)?.usages ?? [];
  return extended.includes(x509.ExtendedKeyUsage.clientAuth) ? null : "it is not made for a client";
}

function uriNames(certificate: x509.X509Certificate): string[] {
  const extension = certificate.getExtension(x509.SubjectAlternativeNameExtension);
  return extension?.names.items.filter((name) => name.type === "url").map((name) => name.value) ?? [];
}

function invalid(what: string): Result<never, ConsiliumError> {
  return err(new ConsiliumError("CERTIFICATE_INVALID", `the certificate of the signer: ${what}`));
}
