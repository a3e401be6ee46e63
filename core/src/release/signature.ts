import { signatureBytes } from "@consilium/secure-sum/crypto/sign";
import {
  base64Of,
  base64urlOf,
  bytesOfLatin1,
  fromBase64,
  fromBase64url,
  latin1Of,
  utf8Of,
} from "../bytes.js";
import { canonicalJson, readCanonicalBytes } from "../canonicalJson.js";
import { ConsiliumError } from "../errors.js";
import { err, ok, type Result } from "../result.js";

/**
 * `certificate.jws`: a compact JSON Web Signature with detached content [RFC7515, appendix F] over the exact bytes
 * of `certificate.json`, and nothing else in the file.
 *
 * The header holds `alg: EdDSA` [RFC8037], `typ`, which keeps this signature apart from every other that the same
 * key makes, and `x5c`: the signer's certificate and the issuing one. Departing from RFC 7515 section 4.1.6, the key
 * that signed is not the subject's (that one is for TLS) but the Ed25519 key that the certificate names beside it.
 *
 * Only one spelling of each part is accepted, so that no changed byte of the file can still verify.
 */
export interface DetachedSignature {
  /** DER, the signer's first. */
  readonly chainDer: readonly Uint8Array[];
  /** 64 bytes, Ed25519. */
  readonly signature: Uint8Array;
  /** What the signature is over: the header and the certificate, as RFC 7515 section 5.2 puts them together. */
  readonly signedBytes: Uint8Array;
}

/** The file of a release that holds one; its certificate does not list it. */
export const signatureFile = "certificate.jws";

const algorithm = "EdDSA";
/** What a signature is of; the two are never mistaken for each other, as each is in the signed header. */
export type SignedType = "consilium-certificate" | "consilium-withdrawal";
const maxChain = 2;

/** Over this a file is no signature of ours: two certificates of at most 8 KiB, encoded twice. */
export const signatureFileMaxBytes = 40_000;

/** The encoded header of a signature by the holder of `chainDer`. */
export function signatureHeader(
  chainDer: readonly Uint8Array[],
  type: SignedType = "consilium-certificate",
): string {
  if (chainDer.length !== maxChain) throw new RangeError("a chain is a certificate and its issuing one");
  const x5c = chainDer.map(base64Of);
  return base64urlOf(utf8Of(canonicalJson({ alg: algorithm, typ: type, x5c })));
}

/**
 * What is to be signed.
 * @param header - as `signatureHeader` made it
 * @param certificate - the bytes of certificate.json
 */
export function signedBytes(header: string, certificate: Uint8Array): Uint8Array {
  return bytesOfLatin1(`${header}.${base64urlOf(certificate)}`);
}

/** The bytes of certificate.jws. */
export function signatureFileBytes(header: string, signature: Uint8Array): Uint8Array {
  return bytesOfLatin1(`${header}..${base64urlOf(signature)}`);
}

/** The chain in a header, or undefined for any header but the one that `signatureHeader` makes for this type. */
export function readHeader(
  header: string,
  type: SignedType = "consilium-certificate",
): Uint8Array[] | undefined {
  const bytes = fromBase64url(header);
  if (bytes === undefined) return undefined;
  const raw = readCanonicalBytes(bytes);
  if (!raw.ok || typeof raw.value !== "object" || raw.value === null || !("x5c" in raw.value))
    return undefined;
  const { x5c } = raw.value;
  if (!Array.isArray(x5c) || x5c.length !== maxChain) return undefined;
  const chain: Uint8Array[] = [];
  for (const item of x5c as unknown[]) {
    const der = typeof item === "string" ? fromBase64(item) : undefined;
    if (der === undefined) return undefined;
    chain.push(der);
  }
  return signatureHeader(chain, type) === header ? chain : undefined;
}

/**
 * Takes certificate.jws apart. Says nothing of whether the signature is right.
 * @param certificate - the bytes of certificate.json
 * @returns its parts, or RELEASE_CORRUPT
 */
export function parseSignature(
  file: Uint8Array,
  certificate: Uint8Array,
): Result<DetachedSignature, ConsiliumError> {
  const refuse = (what: string) => err(new ConsiliumError("RELEASE_CORRUPT", `${signatureFile}: ${what}`));
  if (file.length > signatureFileMaxBytes) return refuse(`longer than ${signatureFileMaxBytes} bytes`);
  // Latin-1 maps every byte to one character, so that what is compared below is the bytes themselves.
  const parts = latin1Of(file).split(".");
  const [header, payload, encoded] = parts;
  if (parts.length !== 3 || header === undefined || payload !== "" || encoded === undefined) {
    return refuse("not a compact signature with detached content");
  }
  const chainDer = readHeader(header);
  if (chainDer === undefined) return refuse("its header is not one of Consilium's");
  const signature = fromBase64url(encoded);
  if (signature?.length !== signatureBytes) return refuse("its signature is malformed");
  return ok({
    chainDer,
    signature,
    signedBytes: signedBytes(header, certificate),
  });
}
