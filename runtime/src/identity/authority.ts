import { generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { fault } from "../fault.js";
import { clockSkewMs, rootFingerprint } from "./certificates.js";
import { ecdsaP256, newSerial, toCryptoKeys, toCryptoPublicKey } from "./cryptoKeys.js";
import { authorityUri, type IdentityName, identityUri, parseFederation, signingKeyUri } from "./names.js";
import { derToPem, isP256, pemToDer, x509 } from "./x509.js";

const yearMs = 365.25 * 86_400_000;
const rootLifetimeMs = 20 * yearMs;
const issuerLifetimeMs = 5 * yearMs;

/** The federation's root: its key signs issuing certificates and the lists of expelled sites and of members, nothing else. */
export interface Authority {
  readonly federation: string;
  readonly privateKey: KeyObject;
  readonly certificatePem: string;
  /** SHA-256 of the certificate's DER, lower-case hexadecimal: what invitations pin. */
  readonly fingerprint: Sha256;
}

/** The issuing key, certified by the root, with which the aggregator enrols and renews. */
export interface Issuer {
  readonly federation: string;
  readonly privateKey: KeyObject;
  readonly certificatePem: string;
  readonly rootPem: string;
}

interface LeafRequest extends IdentityName {
  /** P-256, from a verified certificate request. */
  readonly tlsPublicKey: KeyObject;
  /** The identity's Ed25519 public key, 32 bytes: it stays the same over renewals. */
  readonly signingKey: Uint8Array;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** From `now` on, at most to the issuing certificate's own end. */
  readonly lifetimeMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Makes a federation's root key and its self-signed certificate, valid for 20 years.
 * @param options.federation - a-z, 0-9 and single hyphens, at most 40
 * @throws ConsiliumError CONFIG_INVALID for another name
 */
export async function createAuthority(options: { federation: string; now: number }): Promise<Authority> {
  const federation = unwrap(parseFederation(options.federation));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = await toCryptoKeys(privateKey);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: `CN=${federation} root authority, O=Consilium`,
    notBefore: new Date(options.now - clockSkewMs),
    notAfter: new Date(options.now + rootLifetimeMs),
    signingAlgorithm: ecdsaP256,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.SubjectAlternativeNameExtension([{ type: "url", value: authorityUri(federation, "root") }]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const certificatePem = derToPem(new Uint8Array(certificate.rawData));
  return { federation, privateKey, certificatePem, fingerprint: rootFingerprint(certificatePem) };
}

/** Makes an issuing key and has the root certify it for 5 years; it can certify leaves only. */
export async function issueIssuer(root: Authority, options: { now: number }): Promise<Issuer> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = await toCryptoKeys(privateKey);
  const rootCertificate = new x509.X509Certificate(pemToDer(root.certificatePem));
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: `CN=${root.federation} issuing authority, O=Consilium`,
    issuer: rootCertificate.subjectName,
    notBefore: new Date(options.now - clockSkewMs),
    notAfter: new Date(Math.min(options.now + issuerLifetimeMs, rootCertificate.notAfter.getTime())),
    signingAlgorithm: ecdsaP256,
    publicKey: keys.publicKey,
    signingKey: (await toCryptoKeys(root.privateKey)).privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.SubjectAlternativeNameExtension([
        { type: "url", value: authorityUri(root.federation, "issuer") },
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(rootCertificate.publicKey),
    ],
  });
  return {
    federation: root.federation,
    privateKey,
    certificatePem: derToPem(new Uint8Array(certificate.rawData)),
    rootPem: root.certificatePem,
  };
}

/**
 * Certifies one identity. A site's certificate serves as a client's only; aggregator and publisher are both.
 * @returns PEM of leaf, issuing and root certificate in this order: what a peer presents
 * @throws ConsiliumError CERTIFICATE_INVALID if the issuing certificate has expired
 * @throws RangeError if the federation is another, or a key is not of the kind described
 */
export async function issueLeaf(issuer: Issuer, request: LeafRequest): Promise<string> {
  if (request.federation !== issuer.federation)
    throw new RangeError("the identity belongs to another federation");
  if (!isP256(request.tlsPublicKey)) throw new RangeError("a leaf's TLS key must be P-256");
  if (request.signingKey.length !== 32) throw new RangeError("an Ed25519 public key must have 32 bytes");
  const issuerCertificate = new x509.X509Certificate(pemToDer(issuer.certificatePem));
  const notAfter = Math.min(request.now + request.lifetimeMs, issuerCertificate.notAfter.getTime());
  if (notAfter <= request.now) {
    throw fault("CERTIFICATE_INVALID", "authority.expired", {}, "authority.certify");
  }
  const serverAuth = request.role === "site" ? [] : [x509.ExtendedKeyUsage.serverAuth];
  const publicKey = await toCryptoPublicKey(request.tlsPublicKey);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: `CN=${request.id}, OU=${request.role}, O=${request.federation}`,
    issuer: issuerCertificate.subjectName,
    notBefore: new Date(request.now - clockSkewMs),
    notAfter: new Date(notAfter),
    signingAlgorithm: ecdsaP256,
    publicKey,
    signingKey: (await toCryptoKeys(issuer.privateKey)).privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, ...serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: "url", value: identityUri(request) },
        { type: "url", value: signingKeyUri(request.signingKey) },
        ...(request.dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
        ...(request.ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuerCertificate.publicKey),
    ],
  });
  return derToPem(new Uint8Array(certificate.rawData)) + issuer.certificatePem + issuer.rootPem;
}
