import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256 } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import type { CertifiedSite } from "@consilium/release/verify";
import {
  authorityFault,
  type Chain,
  type ChainFault,
  federationOf,
  identityOf,
  outsideValidity,
  ownFault,
  parseCertificate,
  rootFault,
  type Validity,
  validityOf,
  type Which,
} from "@consilium/runtime/identity/chain";
import type { AnySaid } from "@consilium/words/said";
import type { IdentitySays } from "@consilium/words/says/identity";
import * as x509 from "@peculiar/x509";

/** Certificate chains in a browser: the same rules as in the services, with signatures checked by WebCrypto. */

const fault = faults<IdentitySays>();
const reason = sentences<IdentitySays>();

/** What a chain proves, independent of time. */
export interface CertifiedChain {
  readonly identity: CertifiedSite;
  /** Of the leaf, the issuing and the root certificate. */
  readonly validities: readonly Validity[];
}

/**
 * Reads the root certificate from a file that the reader chose.
 * @returns undefined for anything but one self-signed P-256 certificate of an authority
 */
export async function readRoot(pem: string): Promise<x509.X509Certificate | undefined> {
  try {
    const [der, ...more] = x509.PemConverter.decode(pem);
    if (der === undefined || more.length > 0) return undefined;
    const root = parseCertificate(new Uint8Array(der));
    if (root === undefined) return undefined;
    return rootFault(root, await isSignedBy(root, root)) === null ? root : undefined;
  } catch {
    return undefined;
  }
}

export { federationOf };

/** SHA-256 of a certificate, in hexadecimal digits, as the services show it. */
export const fingerprintOf = (certificate: x509.X509Certificate): Promise<Sha256> =>
  sha256Of(certificate.rawData);

/** SHA-256 of its public key (SubjectPublicKeyInfo, DER), as statements name a root. */
export const keyHashOf = (certificate: x509.X509Certificate): Promise<Sha256> =>
  sha256Of(certificate.publicKey.rawData);

/** Whether the root's key signed bytes: ECDSA with SHA-256, DER. */
export async function isSignedByRoot(
  root: x509.X509Certificate,
  { bytes, signature }: { readonly bytes: Uint8Array; readonly signature: Uint8Array },
): Promise<boolean> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  try {
    // WebCrypto takes r and s side by side.
    const raw = new x509.AsnEcSignatureFormatter().toWebSignature(algorithm, Uint8Array.from(signature));
    if (raw === null) return false;
    const key = await root.publicKey.export(algorithm, ["verify"]);
    return await crypto.subtle.verify(algorithm, key, raw, Uint8Array.from(bytes));
  } catch {
    return false;
  }
}

async function sha256Of(bytes: ArrayBuffer): Promise<Sha256> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("") as Sha256;
}

/**
 * The identity that a chain proves under a root; without a root, the unproven identity it states.
 * @param chainDer - the leaf and its issuing certificate
 * @returns CERTIFICATE_INVALID with the reason
 */
export async function certifyChain(
  chainDer: readonly Uint8Array[],
  root: x509.X509Certificate | null,
): Promise<Result<CertifiedChain, ConsiliumError>> {
  try {
    const [own, issuing] = chainDer.map(parseCertificate);
    if (own === undefined || issuing === undefined) return invalid("own", reason("chain.chain", {}));
    const fault = root === null ? null : await faultOf({ root, issuing, own });
    if (fault !== null) return invalid(fault.which, fault.why);
    const named = identityOf(own);
    if (named === undefined) return invalid("own", reason("chain.no-name", {}));
    return ok({
      identity: { ...named.name, signingKey: named.signingKey },
      validities: [
        validityOf("own", own),
        validityOf("issuing", issuing),
        ...(root === null ? [] : [validityOf("root", root)]),
      ],
    });
  } catch {
    return invalid("own", reason("chain.broken", {}));
  }
}

/** Whether a chain was valid at a time: null, or the reason why not. */
export function timeFault({ validities }: CertifiedChain, atMs: number): string | null {
  const outside = outsideValidity(validities, atMs);
  if (outside === null) return null;
  return outside.side === "before" ? "it was not valid yet" : "it had expired";
}

async function faultOf(chain: Chain<x509.X509Certificate>): Promise<ChainFault | null> {
  const { root, issuing, own } = chain;
  const isSigned = { root: await isSignedBy(root, root), issuing: await isSignedBy(issuing, root) };
  return authorityFault(chain, isSigned) ?? ownFault(chain, await isSignedBy(own, issuing), "client");
}

function isSignedBy(child: x509.X509Certificate, issuer: x509.X509Certificate): Promise<boolean> {
  return child.verify({ publicKey: issuer.publicKey, signatureOnly: true });
}

function invalid(which: Which, why: AnySaid): Result<never, ConsiliumError> {
  return err(fault("CERTIFICATE_INVALID", "certificate.signer", { certificate: nameOf(which), why }));
}
