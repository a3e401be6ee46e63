import { canonicalJson, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { maxAttempt, maxLedgerHeadBytes } from "@consilium/core/limits";
import { err, ok, type Result } from "@consilium/core/result";
import type { Booked, Unit } from "@consilium/gate/account";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { type SigningKey, signMessage, verifyMessage } from "@consilium/secure-sum/crypto/sign";
import { z } from "zod";
import { coverMost } from "../tables/knownTables.js";

/**
 * One line of a site's ledger: what was set aside for a study, what was spent, what was given back. An entry names the
 * one before it by its hash and is signed by the site, so that nothing in it, before it or between can be changed or
 * left out without a trace.
 *
 *   hash(entry) = SHA-256("consilium ledger entry v1\n" canonical JSON of the entry)
 *
 * Hashes leave the hospital, and everything else in an entry may be guessed: the blind keeps a guess from being tried.
 *
 *   signature   = Ed25519(the site's key, "consilium ledger entry v1\n" hash)
 */
const sha = z.string().regex(/^[0-9a-f]{64}$/) as unknown as z.ZodType<Sha256>;
// An object literal that names __proto__ in JSON loses it when it is read: no study, stage or population is called so.
const name = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text !== "__proto__", "not a name");
const attempt = z.int().min(1).max(maxAttempt);
/** The claim of a method's authors, where nothing is proven. */
const claimed = z.strictObject({ epsilon: z.number(), delta: z.number() }).nullable();
const sequence = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Of entries before there were others: what the ledger counted was called a row. */
const unit = z.enum(["row", "patient"] satisfies Unit[]).optional();
/** Keyed hashes of where the table's records are (data/tableSources.ts); left out: not known. */
const source = z.string().regex(/^[0-9a-f]{16}$/);
const sources = z.array(source).min(1).max(coverMost).optional();

/** What a population has spent: ρ of everything proven, rounded up, and how often something without a bound went out. */
const spent = z.strictObject({ rho: z.number().min(0), unbounded: z.int().min(0) });

const stageCharge = z.strictObject({
  stage: name,
  attempt,
  /** A privacy event of core/src/privacy/events.ts. */
  event: z.json() as z.ZodType<unknown>,
  /** How many times the event's ρ is charged: the event is of the study's unit, the charge of the hospital's. */
  factor: z.int().min(2).max(100_000_000).optional(),
  /** What is charged for one unit of privacy: the event's ρ times the factor, rounded up; null where nothing is proven. */
  rho: z.number().min(0).nullable(),
  claimed,
});

/** What a reconciliation charges: to a population, in a unit, for records from any of the sources. */
export const bookedSchema: z.ZodType<Booked> = z.strictObject({
  population: name,
  unit: z.enum(["row", "patient"] satisfies Unit[]),
  sources: z.array(source).max(100_000),
  ...spent.shape,
});

const place = {
  sequence,
  at: z.int().min(0),
  previous: sha.nullable(),
  /** 16 bytes at random; earlier entries have none. */
  blind: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
};
/** A head's opening: every population's spending, and a trail. */
export const openingMaxBytes = 16 << 20;

/** A head as an entry carries it: what was lost can be computed again from it and its opening. */
const anchor = z.strictObject({
  head: z.string().max(maxLedgerHeadBytes),
  signature: z.base64(),
  opening: z.string().max(openingMaxBytes).optional(),
});
const owner = { federation: name, site: name, signingKey: sha };

/** What a checkpoint says of all entries before those that it was written with: see compaction.ts. */
const archivedSchema = z.strictObject({
  /** The last of them. */
  through: z.strictObject({ sequence, hash: sha, at: z.int().min(0) }),
  /** Runs of consecutive entries, each with the first 16 digits of its hash: known heads are looked up here. */
  marks: z.array(z.strictObject({ from: sequence, hashes: z.string().regex(/^(?:[0-9a-f]{16})+$/) })).min(1),
  /** What was committed, exactly, in the order in which it is added up. */
  spent: z.array(bookedSchema),
  /** What each study had spent, and the hash of the statement that was signed of it. */
  studies: z.array(z.strictObject({ study: name, ...spent.shape, statement: sha.optional() })),
  /** Every key that signed them, with its first entry. */
  keys: z.array(z.strictObject({ ...owner, sequence })).min(1),
  /** Heads that were reconciled with. */
  anchors: z.array(anchor),
  /** The archive files, in order: first and last entry, and what the bytes hash to. */
  files: z.array(z.strictObject({ from: sequence, to: sequence, sha256: sha })).min(1),
});
export type Archived = z.output<typeof archivedSchema>;

const entrySchema = z.discriminatedUnion("kind", [
  /**
   * The ledger's first entry, and again whenever the site signs with another key or for another federation. With `archived`:
   * a checkpoint, which earlier entries were moved to an archive with.
   */
  z.strictObject({ ...place, kind: z.literal("open"), ...owner, archived: archivedSchema.optional() }),
  /** Set aside before the study begins, or before a further attempt. */
  z.strictObject({
    ...place,
    kind: z.literal("reserve"),
    study: name,
    population: name,
    unit,
    sources,
    stages: z.array(stageCharge).min(1),
    /** How much all attempts of the study may cost together: with its first reservation; earlier ledgers have none. */
    ceiling: spent.optional(),
    /** Of the record of a join without a person. */
    record: sha.optional(),
  }),
  /** A person lets a study cost so much altogether: no reservation goes beyond it. */
  z.strictObject({
    ...place,
    kind: z.literal("ceiling"),
    study: name,
    population: name,
    unit,
    ...spent.shape,
  }),
  /** Spent: durable before the first byte of what it is for leaves. Never taken back. */
  z.strictObject({
    ...place,
    kind: z.literal("commit"),
    study: name,
    population: name,
    unit,
    sources,
    ...stageCharge.shape,
  }),
  /** What was reserved for a study and not committed is free again. */
  z.strictObject({ ...place, kind: z.literal("release"), study: name, population: name }),
  /**
   * Durable before the signature leaves: every later head stands for it, so that a statement which is said to have been signed then can
   * be refuted by one hospital.
   */
  z.strictObject({ ...place, kind: z.literal("signed"), study: name, statement: sha }),
  /** Written with a person's approval: of its record, which says what was approved, by whom, and what was shown. */
  z.strictObject({ ...place, kind: z.literal("approved"), study: name, record: sha }),
  /** The same of a person's refusal, which spends nothing. */
  z.strictObject({ ...place, kind: z.literal("refused"), study: name, record: sha }),
  /** Spending that an anchor proves and this copy of the ledger has lost: charged without its details. */
  z.strictObject({
    ...place,
    kind: z.literal("reconcile"),
    /** Signed by this site. */
    anchor,
    /** Earlier entries have a map from populations, all in rows. */
    lost: z.union([z.array(bookedSchema) as z.ZodType<readonly Booked[]>, z.record(name, spent)]),
    /** ε that a person has declared to be lost, in every population at its δ: of the anchor only the place is known. */
    declared: z.strictObject({ epsilon: z.number().positive() }).optional(),
  }),
]);

export type LedgerEntry = z.output<typeof entrySchema>;
export type EntryOf<K extends LedgerEntry["kind"]> = Extract<LedgerEntry, { kind: K }>;

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
  const raw = readCanonicalJson(stored.text);
  if (!raw.ok) return broken(raw.error === "not JSON" ? "its text is not JSON" : "its text was changed");
  const parsed = entrySchema.safeParse(raw.value);
  if (!parsed.success || canonicalJson(parsed.data) !== stored.text) return broken("its text was changed");
  if (sha256(tag, stored.text) !== stored.hash) return broken("its hash is not that of its text");
  if (parsed.data.sequence !== stored.sequence) return broken("its sequence number is out of order");
  const { text, hash, signature } = stored;
  return ok({ entry: parsed.data, text, hash: hash as Sha256, signature: new Uint8Array(signature) });
}

/** Whose ledger it is by its newest opening: a state folder that is enrolled anew continues with its ledger. */
export function ownerOf(entries: readonly SignedEntry[]): {
  readonly federation: string;
  readonly site: string;
} {
  const opening = entries.findLast(({ entry }) => entry.kind === "open")?.entry;
  if (opening?.kind === "open") return { federation: opening.federation, site: opening.site };
  throw brokenAt(1, "the ledger does not begin with its opening");
}
