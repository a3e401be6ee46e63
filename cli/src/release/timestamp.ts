import { ConsiliumError } from "@consilium/core/errors";
import {
  type Attribute,
  Certificate,
  type ExtKeyUsage,
  SignedData,
  type SignerInfo,
  TimeStampResp,
  TSTInfo,
} from "pkijs";

/** An authority's word for the time at which some bytes were there. */
export interface Timestamp {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The authority, by the names in its certificate, such as `CN=Time Stamping 2026,O=Example`. */
  readonly by: string;
}

const timestampInfo = "1.2.840.113549.1.9.16.1.4";
const contentType = "1.2.840.113549.1.9.3";
const timeStamping = "1.3.6.1.5.5.7.3.8";
const extendedKeyUsage = "2.5.29.37";
/** SHA-256, SHA-384 and SHA-512. */
const hashes = ["2.16.840.1.101.3.4.2.1", "2.16.840.1.101.3.4.2.2", "2.16.840.1.101.3.4.2.3"];
/** RSA and ECDSA by SHA-1: two statements can be made of one hash, and so of one signature. */
const brokenSignatures = ["1.2.840.113549.1.1.5", "1.2.840.10045.4.1"];

/**
 * Checks a timestamp [RFC3161, sections 2.3 and 2.4.2]: the answer of an authority, DER, about the hash of some bytes.
 * @param options.authority - root certificates of authorities for time that the reader trusts, PEM
 * @throws ConsiliumError RELEASE_CORRUPT naming `file` and what is wrong with it; CONFIG_INVALID for an authority that is no certificate
 */
export async function checkTimestamp(options: {
  readonly file: string;
  readonly response: Uint8Array;
  readonly stamped: Uint8Array;
  readonly authority: string;
}): Promise<Timestamp> {
  const refuse = (what: string) => new ConsiliumError("RELEASE_CORRUPT", `${options.file}: ${what}`);
  const trusted = rootsOf(options.authority);
  const { signed, info } = read(options.response, refuse);
  const [signer, second] = signed.signerInfos;
  if (signer === undefined || second !== undefined) throw refuse("not signed by one authority");
  if (!saysWhatItIs(signer)) throw refuse("its signature does not cover what kind of statement it is");
  if (!hashes.includes(info.messageImprint.hashAlgorithm.algorithmId))
    throw refuse("its hash is not SHA-256, SHA-384 or SHA-512");
  const { digestAlgorithm, signatureAlgorithm } = signer;
  if (
    !hashes.includes(digestAlgorithm.algorithmId) ||
    brokenSignatures.includes(signatureAlgorithm.algorithmId)
  )
    throw refuse("its signature is not of SHA-256, SHA-384 or SHA-512");
  const verified = await signed
    .verify({
      signer: 0,
      data: new Uint8Array(options.stamped).buffer,
      trustedCerts: trusted,
      checkDate: info.genTime,
      checkChain: true,
      extendedMode: true,
    })
    .catch((cause: unknown) => cause);
  if (!isVerified(verified))
    throw refuse("not of this file, changed, or not signed by an authority under the given certificate");
  if (!isForTime(verified.signerCertificate))
    throw refuse("the certificate that signed it is not one for timestamps");
  return { at: info.genTime.toISOString(), by: nameOf(verified.signerCertificate) };
}

/** The statement in an answer, its kind looked at first: bytes of any other kind would be checked as no timestamp. */
function read(
  response: Uint8Array,
  refuse: (what: string) => ConsiliumError,
): { signed: SignedData; info: TSTInfo } {
  try {
    const answer = TimeStampResp.fromBER(response);
    const signed = new SignedData({ schema: answer.timeStampToken!.content });
    if (answer.status.status > 1 || signed.encapContentInfo.eContentType !== timestampInfo) throw undefined;
    return { signed, info: TSTInfo.fromBER(signed.encapContentInfo.eContent!.getValue()) };
  } catch {
    throw refuse("not an answer with a timestamp");
  }
}

/** [RFC5652, section 11.1]: without it the signature could be one of another kind of message. */
function saysWhatItIs(signer: SignerInfo): boolean {
  const [kind, ...more] = (signer.signedAttrs?.attributes ?? []).filter(({ type }) => type === contentType);
  return kind !== undefined && more.length === 0 && oidOf(kind) === timestampInfo;
}

const oidOf = (attribute: Attribute): unknown =>
  (attribute.values[0] as { valueBlock?: { toString(): string } } | undefined)?.valueBlock?.toString();

function isVerified(result: unknown): result is { signerCertificate: Certificate } {
  const { signatureVerified, signerCertificate } = result as Partial<Record<string, unknown>>;
  return signatureVerified === true && signerCertificate instanceof Certificate;
}

/** [RFC3161, section 2.3]: a critical extended key usage, for timestamps alone. */
function isForTime({ extensions = [] }: Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === extendedKeyUsage);
  const purposes = (usage?.parsedValue as ExtKeyUsage | undefined)?.keyPurposes ?? [];
  return usage?.critical === true && purposes.length === 1 && purposes[0] === timeStamping;
}

const namesOf: Readonly<Record<string, string>> = { "2.5.4.3": "CN", "2.5.4.10": "O", "2.5.4.6": "C" };

const nameOf = ({ subject }: Certificate): string =>
  subject.typesAndValues
    .flatMap(({ type, value }) =>
      namesOf[type] === undefined ? [] : `${namesOf[type]}=${value.valueBlock.value}`,
    )
    .join(",");

function rootsOf(pem: string): Certificate[] {
  try {
    const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)!;
    return found.map((one) =>
      Certificate.fromBER(Buffer.from(one.replace(/-----[^-]+-----/g, ""), "base64")),
    );
  } catch (cause) {
    throw new ConsiliumError("CONFIG_INVALID", "the authority for time is not a PEM certificate", {
      remedy: "give the root certificate of who signed certificate.tsr with --timestamp-authority",
      cause,
    });
  }
}
