import { canonicalJson } from "@consilium/core/canonicalJson";
import { type SigningKey, signMessage, verifyMessage } from "@consilium/core/crypto/sign";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { z } from "zod";
import type { WireLedgerHead } from "../rpc/toDomain.js";

/**
 * How far a ledger has come and what its populations have spent, signed by the site. It is given out with every vector
 * and every countersignature, and kept beside the database: a copy of the ledger that is behind it is an old one. The
 * aggregator can keep a head back, but not make one up.
 */
const headSchema = z.strictObject({
  federation: z.string(),
  site: z.string(),
  sequence: z.int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/) as unknown as z.ZodType<Sha256>,
  /** By population: ρ of what is committed, rounded up, and how many commitments have no bound. */
  populations: z.record(z.string(), z.strictObject({ rho: z.number().min(0), unbounded: z.int().min(0) })),
  /**
   * Some of the entries before it that have spent something, newest first, as `sequence:hash` with 16 digits of the
   * hash: an old copy finds here how much of itself the head includes (history.ts).
   */
  trail: z.array(z.string().regex(/^[1-9]\d{0,15}:[0-9a-f]{16}$/)).max(200),
});

export type LedgerHead = z.output<typeof headSchema>;

const tag = "consilium ledger head v1\n";

export function signHead(head: LedgerHead, key: SigningKey): WireLedgerHead {
  const text = canonicalJson(headSchema.parse(head));
  return { head: text, signature: signMessage(key, Buffer.from(tag + text)) };
}

/**
 * Reads a head that somebody shows.
 * @param keys - every key that this site has signed its ledger with
 * @returns LEDGER_HEAD_INVALID unless it is this site's own
 */
export function readHead(
  shown: WireLedgerHead,
  own: {
    readonly federation: string;
    readonly site: string;
    readonly keys: readonly { readonly publicKey: Uint8Array }[];
  },
): Result<LedgerHead, ConsiliumError> {
  const message = Buffer.from(tag + shown.head);
  if (!own.keys.some(({ publicKey }) => verifyMessage(publicKey, message, shown.signature)))
    return invalid("this site did not sign");
  const parsed = parseHead(shown.head);
  if (!parsed.ok) return parsed;
  if (parsed.value.federation !== own.federation || parsed.value.site !== own.site)
    return invalid("is another site's");
  return parsed;
}

/** Reads a head's text, whoever signed it. @returns LEDGER_HEAD_INVALID unless it is exactly one head's */
export function parseHead(text: string): Result<LedgerHead, ConsiliumError> {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return invalid("is not JSON");
  }
  const parsed = headSchema.safeParse(raw);
  if (!parsed.success || canonicalJson(parsed.data) !== text) return invalid("is malformed");
  return ok(parsed.data);
}

function invalid(what: string): Result<never, ConsiliumError> {
  return err(
    new ConsiliumError("LEDGER_HEAD_INVALID", `a head of this site's ledger was shown that ${what}`),
  );
}
