import { canonicalJson, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import type { Booked } from "@consilium/gate/account";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { type SigningKey, signMessage, verifyMessage } from "@consilium/secure-sum/crypto/sign";
import { z } from "zod";
import type { WireLedgerHead } from "../rpc/toDomain.js";
import { bookedSchema, openingMaxBytes } from "./entry.js";

/**
 * How far a ledger has come, signed by the site. It is given out with every vector and every countersignature, and kept
 * beside the database: a copy of the ledger that is behind it is an old one. The aggregator can keep a head back, but not
 * make one up.
 *
 * What the populations have spent is the hospital's own affair. A head commits to it and does not show it:
 *
 *   totals = SHA-256("consilium ledger totals v1\n" opening)
 *   opening = canonical JSON of a salt of 32 random bytes, the totals, and a trail
 *
 * The opening stays at the hospital, beside the anchor: with it, what a copy has lost can be charged to the last digit.
 */
const sha = z.string().regex(/^[0-9a-f]{64}$/) as unknown as z.ZodType<Sha256>;
/**
 * Some of the entries before it, newest first, as `sequence:hash` with 16 digits of the hash: an old copy finds here how
 * much of itself the head includes (history.ts).
 */
const trailSchema = z.array(z.string().regex(/^[1-9]\d{0,15}:[0-9a-f]{16}$/)).max(200);

const position = { federation: z.string(), site: z.string(), sequence: z.int().min(1), hash: sha };

const headSchema = z.strictObject({ ...position, totals: sha });

/** Heads of earlier versions show what was spent, by population, and name in the trail what has spent something. */
const openHeadSchema = z.strictObject({
  ...position,
  populations: z.record(z.string(), z.strictObject({ rho: z.number().min(0), unbounded: z.int().min(0) })),
  trail: trailSchema,
});

const openingSchema = z.strictObject({
  salt: z.string().regex(/^[0-9a-f]{64}$/),
  spent: z.array(bookedSchema),
  trail: trailSchema,
});

/** What the populations had spent at a head, and which entries led there. */
export interface HeadOpening {
  readonly spent: readonly Booked[];
  readonly trail: readonly string[];
}

export interface LedgerHead {
  readonly federation: string;
  readonly site: string;
  readonly sequence: number;
  readonly hash: Sha256;
  /** Null where only the head's place is known. */
  readonly opening: HeadOpening | null;
  /** Whether the head itself shows its opening, as those of earlier versions do: their trail has spending entries alone. */
  readonly isOpen: boolean;
}

/** A head as it is kept at the hospital: with its opening, where that is known. */
export interface KeptHead extends WireLedgerHead {
  readonly opening?: string | undefined;
}

const tag = "consilium ledger head v1\n";
const totalsTag = "consilium ledger totals v1\n";

/** @param salt - 32 bytes from the operating system's generator */
export function signHead(
  head: Omit<LedgerHead, "opening" | "isOpen"> & { readonly opening: HeadOpening },
  salt: Uint8Array,
  key: SigningKey,
): KeptHead & { readonly opening: string } {
  const { opening: opened, federation, site, sequence, hash } = head;
  const opening = canonicalJson(openingSchema.parse({ salt: Buffer.from(salt).toString("hex"), ...opened }));
  const totals = sha256(totalsTag, opening);
  const text = canonicalJson(headSchema.parse({ federation, site, sequence, hash, totals }));
  return { head: text, signature: signMessage(key, Buffer.from(tag + text)), opening };
}

/** Whose keys have signed a ledger, each for a site of a federation. */
interface Signers {
  readonly keys: readonly {
    readonly publicKey: Uint8Array;
    readonly federation: string;
    readonly site: string;
  }[];
}

/**
 * Reads a head that somebody shows.
 * @param own - every key that this site has signed its ledger with
 * @returns LEDGER_HEAD_INVALID unless it is this site's own, and an opening beside it is its own
 */
export function readHead(shown: KeptHead, own: Signers): Result<LedgerHead, ConsiliumError> {
  const message = Buffer.from(tag + shown.head);
  const signers = own.keys.filter(({ publicKey }) => verifyMessage(publicKey, message, shown.signature));
  if (signers.length === 0) return invalid("this site did not sign");
  const parsed = parseHead(shown);
  if (!parsed.ok) return parsed;
  const { federation, site } = parsed.value;
  if (!signers.some((key) => key.federation === federation && key.site === site))
    return invalid("is another site's");
  return parsed;
}

/** Reads a head's text, no matter who signed it. @returns LEDGER_HEAD_INVALID unless it is exactly one head's */
export function parseHead({
  head: text,
  opening,
}: Pick<KeptHead, "head" | "opening">): Result<LedgerHead, ConsiliumError> {
  const raw = parseCanonical(text);
  const committed = headSchema.safeParse(raw);
  if (committed.success) {
    const { totals, ...place } = committed.data;
    if (opening === undefined) return ok({ ...place, opening: null, isOpen: false });
    const opened = openingSchema.safeParse(parseCanonical(opening));
    if (!opened.success || sha256(totalsTag, opening) !== totals)
      return invalid("comes with an opening that is not its own");
    const { spent, trail } = opened.data;
    return ok({ ...place, opening: { spent, trail }, isOpen: false });
  }
  const open = openHeadSchema.safeParse(raw);
  if (!open.success || opening !== undefined) return invalid("is malformed");
  const { populations, trail, ...place } = open.data;
  const spent = Object.entries(populations).map(
    ([population, one]): Booked => ({ population, unit: "row", sources: [], ...one }),
  );
  return ok({ ...place, opening: { spent, trail }, isOpen: true });
}

/** The value of a canonical JSON text; undefined for any other text. */
function parseCanonical(text: string): unknown {
  if (text.length > openingMaxBytes) return undefined;
  const read = readCanonicalJson(text);
  return read.ok ? read.value : undefined;
}

function invalid(what: string): Result<never, ConsiliumError> {
  return err(
    new ConsiliumError("LEDGER_HEAD_INVALID", `a head of this site's ledger was shown that ${what}`),
  );
}
