import { type KeyObject, X509Certificate } from "node:crypto";
import type { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { AnySaid } from "@consilium/words/said";
import { fault, reason } from "../fault.js";
import {
  authorityFault,
  type ChainFault,
  certificateMaxBytes,
  federationOf,
  identityOf,
  outsideValidity,
  ownFault,
  parseCertificate,
  type Validity,
  validityOf,
  type Which,
} from "./chain.js";
import { type Role, signingKeyFingerprint } from "./names.js";
import { isRevoked, type RevocationList } from "./revoked.js";
import { pemToDer, type x509 } from "./x509.js";

const tooLong = reason("chain.too-long", { max: certificateMaxBytes });

/** The proven identity of a peer. */
export interface PeerIdentity {
  readonly federation: string;
  readonly role: Role;
  readonly id: SiteId;
  /** The Ed25519 public key of its protocol messages, 32 bytes. */
  readonly signingKey: Uint8Array;
  /** SHA-256 of `signingKey`: what policies pin and revocations name. It stays over renewals. */
  readonly fingerprint: Sha256;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
  /** Of this certificate, hexadecimal. */
  readonly serial: string;
}

export interface VerifyOptions {
  /** The one certificate that is trusted. */
  readonly rootPem: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly revocations?: RevocationList | undefined;
  /** Refuse every other role with NOT_PERMITTED. */
  readonly role?: Role | undefined;
  /** What the certificate must be made for: the side of the connection that the peer is on. */
  readonly purpose: "client" | "server";
}

interface Parsed {
  readonly certificate: x509.X509Certificate;
  readonly native: X509Certificate;
}

/** Root and issuing certificates, by their hash: all chains of a federation have them in common. */
const parsedAuthorities = new Map<Sha256, Parsed>();
const parsedAuthoritiesMax = 16;

function parseAuthority(der: Uint8Array): Parsed | undefined {
  const hash = sha256(der);
  const parsed = parsedAuthorities.get(hash) ?? parse(der);
  if (parsed !== undefined) parsedAuthorities.set(hash, parsed);
  if (parsedAuthorities.size > parsedAuthoritiesMax) parsedAuthorities.clear();
  return parsed;
}

function parse(der: Uint8Array): Parsed | undefined {
  try {
    const native = new X509Certificate(der);
    const certificate = parseCertificate(der);
    return certificate !== undefined && native.raw.equals(der) ? { certificate, native } : undefined;
  } catch {
    return undefined;
  }
}

/** By OpenSSL, which compares names and key identifiers too. */
function isSignedBy({ native }: Parsed, issuer: Parsed): boolean {
  return native.checkIssued(issuer.native) && native.verify(issuer.native.publicKey);
}

/** Issuing certificates that were found properly signed and formed, each with its root. */
const soundAuthorities = new WeakMap<Parsed, Parsed>();

function faultOfAuthorities(root: Parsed, issuing: Parsed): ChainFault | null {
  if (soundAuthorities.get(issuing) === root) return null;
  const isSigned = { root: isSignedBy(root, root), issuing: isSignedBy(issuing, root) };
  const fault = authorityFault(certificatesOf({ root, issuing }), isSigned);
  if (fault === null) soundAuthorities.set(issuing, root);
  return fault;
}

/** A chain's content that does not change with time. */
interface Certified {
  readonly identity: PeerIdentity;
  /** Of root, issuing and own certificate. */
  readonly validities: readonly Validity[];
}

/**
 * Chains that were found properly signed and formed, by the hash of all that went into the finding. Only what the
 * federation's authority certified gets in, and what can change (time, expulsion) is checked anew each time.
 */
const certifiedChains = new Map<string, Certified>();
const certifiedChainsMax = 8192;

/**
 * Checks a peer's certificates by themselves, independently of TLS: leaf, signed by an issuing
 * certificate, signed by the pinned root; dates, basic constraints, key usages and the names of the three.
 * Nothing but the root is trusted: the peer presents the issuing certificate.
 *
 * About 5 ms for a chain that was not seen before, most of it parsing; about 0.02 ms afterwards.
 *
 * @param chainDer - as presented: leaf first, then the issuing certificate; anything further is ignored
 * @returns who it is, or CERTIFICATE_MISSING, CERTIFICATE_INVALID, SITE_EXPELLED, NOT_PERMITTED
 */
export function verifyPeer(
  chainDer: readonly Uint8Array[],
  options: VerifyOptions,
): Result<PeerIdentity, ConsiliumError> {
  const [leafDer, issuerDer] = chainDer;
  if (!leafDer) return err(fault("CERTIFICATE_MISSING", "certificate.none", {}));
  if (!issuerDer) return invalid("issuing", reason("chain.missing", {}));
  if (leafDer.length > certificateMaxBytes) return invalid("own", tooLong);
  if (issuerDer.length > certificateMaxBytes) return invalid("issuing", tooLong);

  const key = sha256(options.purpose, sha256(options.rootPem), sha256(leafDer), sha256(issuerDer));
  let certified = certifiedChains.get(key);
  if (!certified) {
    const found = certify(leafDer, issuerDer, options);
    if (!found.ok) return found;
    certified = found.value;
    if (certifiedChains.size >= certifiedChainsMax) certifiedChains.clear();
    certifiedChains.set(key, certified);
  }
  return judge(certified, options);
}

/** Of a file that a person gives as the federation's root, or a folder has. */
const strangeRoot = () =>
  fault("CERTIFICATE_INVALID", "certificate.strange-root", {}, "certificate.give-root");

/**
 * Checks an issuing certificate under the pinned root.
 * @param options.now - milliseconds since 1970
 * @returns its federation and public key, or CERTIFICATE_INVALID
 * @throws ConsiliumError CERTIFICATE_INVALID for a root that is no certificate of a federation
 */
export function verifyIssuer(
  issuerDer: Uint8Array,
  options: { readonly rootPem: string; readonly now: number },
): Result<{ readonly federation: string; readonly key: KeyObject }, ConsiliumError> {
  if (issuerDer.length > certificateMaxBytes) return invalid("issuing", tooLong);
  const root = parseAuthority(pemToDer(options.rootPem));
  if (!root) throw strangeRoot();
  const issuer = parseAuthority(issuerDer);
  if (!issuer) return invalid("issuing", reason("chain.foreign", {}));
  try {
    const fault = faultOfAuthorities(root, issuer);
    if (fault !== null) return invalid(fault.which, fault.why);
    const federation = federationOf(root.certificate)!;
    const dated = [validityOf("root", root.certificate), validityOf("issuing", issuer.certificate)];
    return dateFault(dated, options.now) ?? ok({ federation, key: issuer.native.publicKey });
  } catch (cause) {
    return invalid("issuing", reason("chain.malformed", {}), cause);
  }
}

function certificatesOf<K extends Which>(parsed: Readonly<Record<K, Parsed>>) {
  const entries = Object.entries<Parsed>(parsed).map(([which, { certificate }]) => [which, certificate]);
  return Object.fromEntries(entries) as Record<K, x509.X509Certificate>;
}

function dateFault(validities: readonly Validity[], now: number): Result<never, ConsiliumError> | null {
  const outside = outsideValidity(validities, now);
  if (outside === null) return null;
  return outside.side === "before"
    ? invalid(outside.which, reason("chain.early", {}))
    : invalid(
        outside.which,
        reason("chain.expired", { at: nameOf(new Date(outside.notAfter).toISOString()) }),
      );
}

/** Checks what can change: the time, the list of expelled sites, and the expected role. */
function judge(
  { identity, validities }: Certified,
  options: VerifyOptions,
): Result<PeerIdentity, ConsiliumError> {
  const dated = dateFault(validities, options.now);
  if (dated !== null) return dated;
  const { role, id } = identity;
  const names = { role: nameOf(role), id: nameOf(id) };
  if (isRevoked(options.revocations, identity.fingerprint)) {
    return err(fault("SITE_EXPELLED", "certificate.expelled", names));
  }
  if (options.role !== undefined && role !== options.role) {
    return err(fault("NOT_PERMITTED", "certificate.role", { ...names, expected: nameOf(options.role) }));
  }
  return ok({ ...identity, signingKey: Uint8Array.from(identity.signingKey) });
}

function invalid(which: Which, why: AnySaid, cause?: unknown): Result<never, ConsiliumError> {
  return err(
    fault("CERTIFICATE_INVALID", "certificate.invalid", { certificate: nameOf(which), why }, { cause }),
  );
}

function certify(
  leafDer: Uint8Array,
  issuerDer: Uint8Array,
  { rootPem, purpose }: Pick<VerifyOptions, "rootPem" | "purpose">,
): Result<Certified, ConsiliumError> {
  const root = parseAuthority(pemToDer(rootPem));
  if (!root) throw strangeRoot();
  const own = parse(leafDer);
  if (!own) return invalid("own", reason("chain.foreign", {}));
  const issuing = parseAuthority(issuerDer);
  if (!issuing) return invalid("issuing", reason("chain.foreign", {}));
  try {
    const chain = certificatesOf({ root, issuing, own });
    const fault = faultOfAuthorities(root, issuing) ?? ownFault(chain, isSignedBy(own, issuing), purpose);
    if (fault !== null) return invalid(fault.which, fault.why);
    const { name, signingKey } = identityOf(chain.own)!;
    const { notBefore, notAfter } = validityOf("own", chain.own);
    const identity = {
      ...name,
      signingKey,
      notBefore,
      notAfter,
      fingerprint: signingKeyFingerprint(signingKey),
      serial: chain.own.serialNumber,
    };
    const which = ["root", "issuing", "own"] as const;
    return ok({ identity, validities: which.map((one) => validityOf(one, chain[one])) });
  } catch (cause) {
    // The parser is lazy: a malformed extension only throws when it is accessed.
    return invalid("own", reason("chain.malformed", {}), cause);
  }
}
