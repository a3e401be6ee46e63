import { fromBase64url, utf8Of } from "@consilium/core/bytes";
import { canonicalJson, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import type { Sha256 } from "@consilium/secure-sum/ids";
import { isSha256, isSiteId } from "@consilium/secure-sum/ids";
import { z } from "zod";
import { certificateFile, type ShownCertificate } from "./certificate.js";

/**
 * A list of a federation's members, which a reader has from somebody other than the aggregator, or has written: anyone who holds the
 * issuing key could certify hospitals that there are none of (docs/FORMAT.md#members).
 */
export interface MembersUnderTest {
  /** The file's text: JSON with its keys in order; white space is free. */
  readonly text: string;
  /** SHA-256 of the trusted root's public key (SubjectPublicKeyInfo, DER). */
  readonly rootKey: Sha256;
  /** Whether the root's key signed bytes: ECDSA with SHA-256, DER. Asked where the list carries a signature. */
  isRootSignature(bytes: Uint8Array, signature: Uint8Array): boolean;
}

/** Members among those who signed, with the names that the list gives them. */
export interface VerifiedMembers {
  readonly signers: readonly { readonly site: string; readonly name: string }[];
  /** Sites of the roster that are members. */
  readonly roster: number;
  /** Whether the root's key signed the list; otherwise it is the reader's own. */
  readonly isSigned: boolean;
  /** When the list was made; null where it does not say. */
  readonly listedAt: string | null;
}

/** A key that is a member's, from and until when: times in ISO 8601, `until` null while it lasts. */
export interface Member {
  readonly name: string;
  readonly signingKeyFingerprint: Sha256;
  readonly from: string;
  readonly until: string | null;
}

export interface MembersList {
  readonly members: readonly Member[];
  readonly isSigned: boolean;
  readonly issuedAt: string | null;
}

/** A list that a federation publishes: its root's key signed it, and it says when. */
export interface PublishedMembers extends MembersList {
  readonly isSigned: true;
  readonly issuedAt: string;
}

const sha256Field = z.custom<Sha256>(isSha256, "not a SHA-256");
const instant = z.iso.datetime({ precision: 3 });
const schema = z.strictObject({
  format: z.literal("consilium-members/1"),
  federation: z.string().refine(isSiteId, "not a federation's name"),
  root: sha256Field,
  issuedAt: instant.optional(),
  members: z
    .array(
      z.strictObject({
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a name may not have
        name: z.string().regex(/^[^\x00-\x1f\x7f]{1,200}$/u),
        signingKeyFingerprint: sha256Field,
        from: instant,
        until: instant.nullable(),
      }),
    )
    .min(1)
    .max(10_000),
  signature: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,120}$/)
    .optional(),
});

function refuse(what: string): Result<never, ConsiliumError> {
  return err(
    new ConsiliumError("CONFIG_INVALID", `list of members: ${what}`, {
      remedy: "give a list as docs/FORMAT.md has it, of the release's federation",
    }),
  );
}

/** What a list's signature is over, for who checks signatures asynchronously; null where there is no signature, or no such list. */
export function signedPart(
  text: string,
): { readonly bytes: Uint8Array; readonly signature: Uint8Array } | null {
  const read = readCanonicalJson(withoutSpace(text));
  const parsed = schema.safeParse(read.ok ? read.value : null);
  if (!parsed.success || parsed.data.signature === undefined) return null;
  const { signature, ...list } = parsed.data;
  const bytes = fromBase64url(signature);
  return bytes === undefined ? null : { bytes: utf8Of(canonicalJson(list)), signature: bytes };
}

/**
 * Reads a list of a federation's members; a signature that it carries is checked.
 * @returns CONFIG_INVALID for an invalid list, or one of another federation
 */
export function readMembers(
  { text, rootKey, isRootSignature }: MembersUnderTest,
  federation: string,
): Result<MembersList, ConsiliumError> {
  const read = readCanonicalJson(withoutSpace(text));
  if (!read.ok) return refuse(read.error);
  const parsed = schema.safeParse(read.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`${issue?.path.join(".") || "the whole"}: ${issue?.message ?? "invalid"}`);
  }
  const { signature, ...list } = parsed.data;
  if (signature !== undefined) {
    const bytes = fromBase64url(signature);
    if (bytes === undefined || !isRootSignature(utf8Of(canonicalJson(list)), bytes))
      return refuse("its signature is not the root's");
  }
  if (list.federation !== federation || list.root !== rootKey) return refuse("it is of another federation");
  return ok({ members: list.members, isSigned: signature !== undefined, issuedAt: list.issuedAt ?? null });
}

/**
 * Reads a list that came from a publisher, or is to go there. It has to be signed: an unsigned one is the word of the one who wrote it.
 * @returns CONFIG_INVALID as of `readMembers`, and for a list without a signature or a date
 */
export function readPublishedMembers(
  under: MembersUnderTest,
  federation: string,
): Result<PublishedMembers, ConsiliumError> {
  const read = readMembers(under, federation);
  if (!read.ok) return read;
  const { members, isSigned, issuedAt } = read.value;
  if (!isSigned) return refuse("nobody signed it");
  if (issuedAt === null) return refuse("it does not say when it was signed");
  return ok({ members, isSigned, issuedAt });
}

/**
 * Whether at least as many sites as a sum needs are members, on the roster and among those who countersigned, when the certificate was
 * issued. Called once the certificate is verified.
 * @returns COUNTERSIGNATURE_INVALID where too few are on the list
 */
export function matchMembers(
  list: MembersList,
  { issuedAt, sites, countersignatures }: ShownCertificate,
): Result<VerifiedMembers, ConsiliumError> {
  const at = Date.parse(issuedAt);
  const names = new Map<string, string>();
  for (const { name, signingKeyFingerprint, from, until } of list.members)
    if (Date.parse(from) <= at && (until === null || at <= Date.parse(until)))
      names.set(signingKeyFingerprint, name);
  const known = new Map(
    sites.roster.flatMap(({ id, signingKeyFingerprint }): [string, string][] => {
      const name = names.get(signingKeyFingerprint);
      return name === undefined ? [] : [[id, name]];
    }),
  );
  const signers = countersignatures.flatMap(({ site }) => {
    const name = known.get(site);
    return name === undefined ? [] : [{ site, name }];
  });
  for (const [of, count] of [
    ["the roster", known.size],
    ["those who countersigned", signers.length],
  ] as const)
    if (count < sites.threshold)
      return err(
        new ConsiliumError(
          "COUNTERSIGNATURE_INVALID",
          `${certificateFile}: ${count} of ${of} are on the list of members, ${sites.threshold} are needed`,
        ),
      );
  return ok({ signers, roster: known.size, isSigned: list.isSigned, listedAt: list.issuedAt });
}

/** JSON without white space outside of strings. */
const withoutSpace = (text: string) =>
  text.replace(/("(?:[^"\\]|\\.)*")|[ \t\n\r]+/gs, (_, string: string | undefined) => string ?? "");
