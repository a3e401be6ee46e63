import { base64Of, fromBase64 } from "@consilium/core/bytes";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { readSaid } from "@consilium/core/readSaid";
import { type DetachedSignature, parseSignature } from "@consilium/core/release/signature";
import { epsilonText as shownEpsilon } from "@consilium/core/release/wording";
import { err, ok, type Result } from "@consilium/core/result";
import { certificateFile, type ShownCertificate, signatureFile } from "@consilium/release/certificate";
import { matchMembers, readPublishedMembers, signedPart } from "@consilium/release/members";
import { readShown, type VerifiedRelease, verifyCertificate, verifyResult } from "@consilium/release/verify";
import {
  type CertifiedChain,
  certifyChain,
  federationOf,
  fingerprintOf,
  isSignedByRoot,
  keyHashOf,
  readRoot,
  timeFault,
} from "./chain.js";
import { Ed25519 } from "./ed25519.js";
import { hashFile, newHash, partsOf } from "./hashFile.js";

/**
 * Verifies a release in a browser, with the code of lib/release/ that `consilium release verify` runs. That code checks
 * signatures synchronously, and a browser does so asynchronously: so it runs twice, first to collect signatures and
 * chains, then with the results.
 */

/** `unknown`: it could not be checked. */
export type Outcome = "right" | "wrong" | "unknown";

export interface Check {
  readonly name: "root" | "signature" | "sites" | "members" | "epsilon" | "files";
  readonly outcome: Outcome;
  /** The result, in words. */
  readonly text: string;
}

export interface Verification {
  readonly checks: readonly Check[];
  /** `wrong` if anything is, `unknown` if anything could not be checked but who the hospitals are. */
  readonly outcome: Outcome;
}

interface ToVerify {
  /** As the service lists them, certificate and signature included. */
  readonly files: readonly string[];
  /** From the file that the reader chose; null runs only the checks that need none. */
  readonly rootPem: string | null;
  /** The federation's list of its members as this page's service has it, which may be forged; null where it has none. */
  readonly members: string | null;
  /** @throws if the file cannot be fetched */
  fetchFile(name: string): Promise<Response>;
  /** Reports hashing progress, in bytes. */
  progress(done: number, total: number): void;
}

/** Runs every check, and continues after a failure where the remaining checks are meaningful. */
export async function verifyInBrowser(release: ToVerify): Promise<Verification> {
  const root = release.rootPem === null ? null : await readRoot(release.rootPem);
  if (root === undefined) {
    return concluded([
      {
        name: "root",
        outcome: "wrong",
        text: "The chosen file is not a federation root certificate. Ask the federation for its root.pem.",
      },
    ]);
  }
  const [certificate, signature] = await Promise.all(
    [certificateFile, signatureFile].map(async (name) => bytesOf(await release.fetchFile(name))),
  );
  const signed = await checkSigned(certificate!, signature!, root);
  const members = await checkMembers(certificate!, root, release.members);
  const files = await checkFiles(certificate!, release);
  return concluded([
    rootCheck(
      root === null ? null : { federation: federationOf(root) ?? "", sha256: await fingerprintOf(root) },
    ),
    ...signed,
    ...members,
    ...files,
  ]);
}

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

function concluded(checks: readonly Check[]): Verification {
  const has = (outcome: Outcome) =>
    checks.some((check) => check.outcome === outcome && !(check.name === "members" && outcome === "unknown"));
  return { checks, outcome: has("wrong") ? "wrong" : has("unknown") ? "unknown" : "right" };
}

function rootCheck(root: { readonly federation: string; readonly sha256: string } | null): Check {
  return root === null
    ? {
        name: "root",
        outcome: "unknown",
        text: "No root certificate was chosen, so the signers' identities are not verified.",
      }
    : {
        name: "root",
        outcome: "right",
        text: `Trusted root: federation ${root.federation}, as chosen by you. Its SHA-256 is ${root.sha256}: compare it with the one that the operator or a hospital tells you.`,
      };
}

type Root = Parameters<typeof certifyChain>[1];

/** Signatures and certificate content, by the verification of lib/release. */
async function checkSigned(certificate: Uint8Array, signature: Uint8Array, root: Root): Promise<Check[]> {
  const parsed = readShown(certificate);
  const detached = parsed.ok ? parseSignature(signature, certificate) : parsed;
  if (!parsed.ok || !detached.ok) return [failed("signature", parsed.ok ? detached : parsed)];
  const chains = await certifiedChains(parsed.value, detached.value, root);
  const ed25519 = await Ed25519.make();
  // First run: every signature is accepted and noted. The second run finds the same errors, unless a signature fails
  // first.
  const rootKey = root === null ? null : await keyHashOf(root);
  verified({ certificate, signature, chains, rootKey, verifySignature: ed25519.note });
  await ed25519.answer();
  const answered = verified({ certificate, signature, chains, rootKey, verifySignature: ed25519.recall });
  if (!answered.ok) return [failed(checkOf(answered.error), answered)];
  return rightChecks(answered.value, { isSigned: ed25519.isThere, isRooted: root !== null });
}

/** Who the hospitals are: by the federation's list of its members, where the root that the reader chose signed it. */
async function checkMembers(bytes: Uint8Array, root: Root, text: string | null): Promise<Check[]> {
  const parsed = readShown(bytes);
  if (!parsed.ok) return [];
  const unknown = (why: string): Check[] => [
    { name: "members", outcome: "unknown", text: `The aggregator's word: ${why}.` },
  ];
  if (text === null) return unknown("this catalogue has no list of the federation's members");
  if (root === null) return unknown("without a root certificate nobody knows who made the list of members");
  const signed = signedPart(text);
  const isRootSignature = signed !== null && (await isSignedByRoot(root, signed));
  const list = readPublishedMembers(
    { text, rootKey: await keyHashOf(root), isRootSignature: () => isRootSignature },
    parsed.value.federation,
  );
  if (!list.ok) return unknown("the list of members is not one that this federation's root signed");
  const matched = matchMembers(list.value, parsed.value);
  const day = list.value.issuedAt.slice(0, 10);
  if (!matched.ok) {
    const why = `Too few of the hospitals are on the list of members that the federation's root signed on ${day}. If one joined since, ask the operator for a new list.`;
    return [{ name: "members", outcome: "wrong", text: why }];
  }
  const names = matched.value.signers.map(({ name }) => name).join(", ");
  const says = `Signed by ${matched.value.signers.length} members, by the list that the federation's root signed on ${day}: ${names}.`;
  return [{ name: "members", outcome: "right", text: says }];
}

/** The line of the report that an error belongs to. */
function checkOf({ code, message }: ConsiliumError): Check["name"] {
  if (code === "CERTIFICATE_EPSILON") return "epsilon";
  if (code === "COUNTERSIGNATURE_INVALID" || /: site /.test(message)) return "sites";
  return message.startsWith(signatureFile) ? "signature" : "epsilon";
}

function failed(
  name: Check["name"],
  result: { readonly ok: boolean; readonly error?: ConsiliumError },
): Check {
  const message = result.error?.message ?? "";
  // A sentence with a code is said by the page, and has no full stop of its own.
  const text = readSaid(message) === null ? `${message}.` : message;
  return { name, outcome: "wrong", text };
}

type Chains = ReadonlyMap<string, Result<CertifiedChain, ConsiliumError>>;

/** Every chain in the certificate and in its signature, each verified once. */
async function certifiedChains(certificate: ShownCertificate, signature: DetachedSignature, root: Root) {
  const chains = [
    signature.chainDer,
    ...certificate.sites.roster.map(({ chain }) => chain.map((der) => fromBase64(der) ?? new Uint8Array())),
  ];
  const found = new Map<string, Result<CertifiedChain, ConsiliumError>>();
  for (const chain of chains) found.set(keyOf(chain), await certifyChain(chain, root));
  return found;
}

const keyOf = (chain: readonly Uint8Array[]) => chain.map(base64Of).join(".");

function verified(given: {
  certificate: Uint8Array;
  signature: Uint8Array;
  chains: Chains;
  rootKey: Sha256 | null;
  verifySignature: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
}): Result<VerifiedRelease, ConsiliumError> {
  const { certificate, signature, chains, rootKey, verifySignature } = given;
  const identified = (chainDer: readonly Uint8Array[], atMs: (chain: CertifiedChain) => number) => {
    const chain = chains.get(keyOf(chainDer));
    if (chain === undefined) return invalid("it was not verified");
    if (!chain.ok) return chain;
    const fault = timeFault(chain.value, atMs(chain.value));
    return fault === null ? ok(chain.value.identity) : invalid(fault);
  };
  return verifyCertificate({
    certificate,
    signature,
    rootKey,
    verifySignature,
    identify: (chainDer, atMs) => identified(chainDer, () => atMs),
    // A site's certificate may have expired while the study ran: its signing key survives renewals.
    identifySite: (chainDer, issuedAtMs) =>
      identified(chainDer, ({ validities }) =>
        Math.min(issuedAtMs, ...validities.slice(0, 2).map(({ notAfter }) => notAfter)),
      ),
  });
}

function invalid(what: string): Result<never, ConsiliumError> {
  return err(new ConsiliumError("CERTIFICATE_INVALID", `the certificate of the signer: ${what}`));
}

function rightChecks(
  { certificate, signer, statement }: VerifiedRelease,
  { isSigned, isRooted }: { isSigned: boolean; isRooted: boolean },
): Check[] {
  const { by, of, needed } = statement.countersigned;
  const outcome: Outcome = isSigned && isRooted ? "right" : "unknown";
  const lacking = !isSigned
    ? "This browser does not support Ed25519: use a newer one, or the command."
    : "The signatures are valid, but without a root certificate the owners of the keys are unknown.";
  const also = outcome === "right" ? "" : ` ${lacking}`;
  return [
    {
      name: "signature",
      outcome,
      text:
        outcome === "right"
          ? `The aggregator of ${signer.federation} (${signer.id}) signed the certificate.`
          : `The certificate names the aggregator of ${signer.federation} (${signer.id}) as its signer.${also}`,
    },
    {
      name: "sites",
      outcome,
      text:
        outcome === "right"
          ? `${by} of ${of} hospitals signed it; ${needed} are required.`
          : `It carries signatures of ${by} of ${of} hospitals; ${needed} are required.${also}`,
    },
    { name: "epsilon", outcome: "right", text: epsilonText(certificate, statement) },
  ];
}

function epsilonText(
  { privacy, sites }: ShownCertificate,
  { epsilon, lossEpsilon }: VerifiedRelease["statement"],
): string {
  const events = `${sites.attempts.length} listed step${sites.attempts.length === 1 ? "" : "s"}`;
  if (privacy.verdict === "proved") {
    const exact =
      lossEpsilon === null
        ? ""
        : ` From the exact distribution of its noise it is ${shownEpsilon(lossEpsilon)}, also recomputed.`;
    return `Epsilon was recomputed from ${events}: ${epsilon === null ? "none" : shownEpsilon(epsilon)} at delta ${privacy.delta}, as the certificate states.${exact}`;
  }
  return `The verdict "${privacy.verdict}" follows from the study and ${events}. No bound is proven.`;
}

/** Whether the release has exactly the files that the certificate lists, unchanged. */
async function checkFiles(bytes: Uint8Array, release: ToVerify): Promise<Check[]> {
  const parsed = readShown(bytes);
  if (!parsed.ok) return [];
  const { files } = parsed.value;
  const wrong = (text: string): Check[] => [{ name: "files", outcome: "wrong", text }];
  const listed = new Set([...files.map(({ name }) => name), certificateFile, signatureFile]);
  const foreign = release.files.find((name) => !listed.has(name));
  if (foreign !== undefined) return wrong(`The certificate does not list the file ${foreign}.`);
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  for (const file of files) {
    if (!release.files.includes(file.name)) return wrong(`The file ${file.name} is missing.`);
    const found = await hashFile(await release.fetchFile(file.name), file.bytes, (read) =>
      release.progress(done + read, total),
    );
    if (found.bytes !== file.bytes || found.sha256 !== file.sha256) {
      return wrong(`The file ${file.name} differs from the certified one.`);
    }
    done += file.bytes;
  }
  const result = await verifyResult(bytes, { open: (name) => partsOf(release.fetchFile(name)), newHash });
  if (!result.ok) return [failed("files", result)];
  return [
    {
      name: "files",
      outcome: "right",
      text: `All ${files.length} files match the SHA-256 in the certificate, and there are no other files.`,
    },
  ];
}
