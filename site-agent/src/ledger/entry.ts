import { canonicalJson } from "@consilium/core/canonicalJson";
import { sha256 } from "@consilium/core/crypto/hash";
import { type SigningKey, signMessage, verifyMessage } from "@consilium/core/crypto/sign";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { maxLedgerHeadBytes } from "@consilium/proto/limits";
import { z } from "zod";

/**
 * One line of a site's ledger: what was set aside for a study, what was spent, what was given back. An entry names the
 * one before it by its hash and is signed by the site, so that nothing in it, before it or between can be changed or
 * left out without a trace.
 *
 *   hash(entry) = SHA-256("consilium ledger entry v1\n" canonical JSON of the entry)
 *   signature   = Ed25519(the site's key, "consilium ledger entry v1\n" hash)
 */
const sha = z.string().regex(/^[0-9a-f]{64}$/) as unknown as z.ZodType<Sha256>;
// An object literal that names __proto__ in JSON loses it when it is read: no study, stage or population is called so.
const name = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text !== "__proto__", "not a name");
const attempt = z.int().min(1).max(1_000_000);
/** The claim of a method's authors, where nothing is proved. */
const claimed = z.strictObject({ epsilon: z.number(), delta: z.number() }).nullable();
const sequence = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** What a population has spent: ρ of everything proved, rounded up, and how often something without a bound went out. */
const spent = z.strictObject({ rho: z.number().min(0), unbounded: z.int().min(0) });

const stageCharge = z.strictObject({
  stage: name,
  attempt,
  /** A privacy event of core/src/privacy/events.ts. */
  event: z.json(),
  /** ρ of the event for one unit of privacy, rounded up; null where nothing is proved. */
  rho: z.number().min(0).nullable(),
  claimed,
});

const place = { sequence, at: z.int().min(0), previous: sha.nullable() };

const entrySchema = z.discriminatedUnion("kind", [
  /** The ledger's first entry, and again whenever the site signs with another key. */
  z.strictObject({ ...place, kind: z.literal("open"), federation: name, site: name, signingKey: sha }),
  /** Set aside before the study begins, or before a further attempt. */
  z.strictObject({
    ...place,
    kind: z.literal("reserve"),
    study: name,
    population: name,
    stages: z.array(stageCharge).min(1),
  }),
  /** Spent: durable before the first byte of what it is for leaves. Never taken back. */
  z.strictObject({
    ...place,
    kind: z.literal("commit"),
    study: name,
    population: name,
    ...stageCharge.shape,
  }),
  /** What was reserved for a study and not committed is free again. */
  z.strictObject({ ...place, kind: z.literal("release"), study: name, population: name }),
  /** Spending that an anchor proves and this copy of the ledger has lost: charged without its details. */
  z.strictObject({
    ...place,
    kind: z.literal("reconcile"),
    /** The anchor itself, signed by this site: what was lost can be computed again from it. */
    anchor: z.strictObject({ head: z.string().max(maxLedgerHeadBytes), signature: z.base64() }),
    lost: z.record(name, spent),
  }),
]);

export type LedgerEntry = z.output<typeof entrySchema>;
export type EntryOf<K extends LedgerEntry["kind"]> = Extract<LedgerEntry, { kind: K }>;
export type StageCharge = z.output<typeof stageCharge>;
export type Spent = z.output<typeof spent>;

/** An entry as it is stored and exported. */
export interface SignedEntry {
  readonly entry: LedgerEntry;
  /** Canonical JSON of the entry. */
  readonly text: string;
  readonly hash: Sha256;
  readonly signature: Uint8Array;
}

const tag = "consilium ledger entry v1\n";

export function signEntry(entry: LedgerEntry, key: SigningKey): SignedEntry {
  const text = canonicalJson(entrySchema.parse(entry));
  const hash = sha256(tag, text);
  return { entry, text, hash, signature: signMessage(key, Buffer.from(tag + hash)) };
}

/** What is wrong with a ledger, and where. */
export function brokenAt(sequence: number, what: string): ConsiliumError {
  return new ConsiliumError("LEDGER_BROKEN", `ledger entry ${sequence}: ${what}`);
}

/** Whether a key signed an entry. */
export function isSignedBy(entry: SignedEntry, publicKey: Uint8Array): boolean {
  return verifyMessage(publicKey, Buffer.from(tag + entry.hash), entry.signature);
}

/**
 * Reads an entry back.
 * @returns LEDGER_BROKEN unless the text is exactly one entry's, and the hash is its
 */
export function readEntry(stored: {
  readonly sequence: number;
  readonly text: string;
  readonly hash: string;
  readonly signature: Uint8Array;
}): Result<SignedEntry, ConsiliumError> {
  const broken = (what: string) => err(brokenAt(stored.sequence, what));
  let raw: unknown;
  try {
    raw = JSON.parse(stored.text);
  } catch {
    return broken("its text is not JSON");
  }
  const parsed = entrySchema.safeParse(raw);
  if (!parsed.success || canonicalJson(parsed.data) !== stored.text) return broken("its text was changed");
  if (sha256(tag, stored.text) !== stored.hash) return broken("its hash is not that of its text");
  if (parsed.data.sequence !== stored.sequence) return broken("it stands in another's place");
  const { text, hash, signature } = stored;
  return ok({ entry: parsed.data, text, hash: hash as Sha256, signature: new Uint8Array(signature) });
}
