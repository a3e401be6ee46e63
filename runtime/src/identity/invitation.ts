import type { ConsiliumError } from "@consilium/core/errors";
import { parseSha256, parseSiteId, type Sha256, type SiteId } from "@consilium/core/ids";
import type { RandomSource } from "@consilium/core/random";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import type { IdentitySays } from "@consilium/words/says/identity";
import { z } from "zod";
import { fault } from "../fault.js";
import { formatAddress, parseAddress } from "../tls/address.js";

/** Reason why a token cannot be read. */
type WhyInvalid = Extract<keyof IdentitySays, `token.${"too-long" | "characters" | "incomplete" | "field"}`>;

const prefix = "cns1.";
const secretBytes = 32;

/** The maximum token length. Tokens have about 350 characters, and more with standbys. */
export const tokenMaxLength = 2048;

/** Aggregators that stand by for the one that invites. */
const maxStandbys = 3;

/** The content of a one-time token. */
export interface Invitation {
  /** `host:port` of the aggregator. */
  readonly address: string;
  /** The same of aggregators that may take over from it. */
  readonly standbys: readonly string[];
  /** SHA-256 of the root certificate's DER: the site trusts no other. */
  readonly rootFingerprint: Sha256;
  readonly siteId: SiteId;
  /** 32 random bytes; the aggregator stores only their hash. */
  readonly secret: SecretBytes;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const payloadSchema = z.strictObject({
  a: z.string().max(300),
  // Left out without a standby, so that earlier versions read the token.
  b: z.array(z.string().max(300)).max(maxStandbys).default([]),
  f: z.string(),
  s: z.string(),
  k: z.string(),
  e: z.int().nonnegative(),
});

/** What the aggregator stores of an invitation and looks up when a site presents the secret. */
export function secretHash(secret: Uint8Array): Sha256 {
  return sha256(secret);
}

/**
 * Makes an invitation and the token to hand to the hospital. The token lets its bearer enrol as this site:
 * it is shown once and not stored.
 */
export function createInvitation(options: {
  address: string;
  standbys?: readonly string[];
  rootFingerprint: Sha256;
  siteId: SiteId;
  expiresAt: number;
  random: RandomSource;
}): { token: string; secretHash: Sha256 } {
  const secret = options.random.bytes(secretBytes);
  const payload = {
    a: options.address,
    ...(options.standbys !== undefined && options.standbys.length > 0 && { b: options.standbys }),
    f: options.rootFingerprint,
    s: options.siteId,
    k: Buffer.from(secret).toString("base64url"),
    e: options.expiresAt,
  };
  const token = prefix + Buffer.from(JSON.stringify(payload), "utf8").toString("base64url");
  return { token, secretHash: secretHash(secret) };
}

/**
 * Reads a token that a person pasted. White space around and within it is dropped: mail programs break lines.
 * @param now - milliseconds since 1970
 * @returns the invitation, TOKEN_INVALID or TOKEN_EXPIRED; no message ever holds a part of the token
 */
export function parseInvitation(text: string, now: number): Result<Invitation, ConsiliumError> {
  const refuse = (why: WhyInvalid) => err(fault("TOKEN_INVALID", why, {}));
  if (text.length > 2 * tokenMaxLength) return refuse("token.too-long");
  const token = text.replace(/\s+/g, "");
  if (token.length > tokenMaxLength) return refuse("token.too-long");
  if (!token.startsWith(prefix))
    return err(fault("TOKEN_INVALID", "token.begins", { prefix: nameOf(prefix) }));
  const encoded = token.slice(prefix.length);
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return refuse("token.characters");
  const payload = payloadSchema.safeParse(parseJson(Buffer.from(encoded, "base64url").toString("utf8")));
  if (!payload.success) return refuse("token.incomplete");
  const address = parseAddress(payload.data.a);
  const standbys = payload.data.b.map(parseAddress);
  const rootFingerprint = parseSha256(payload.data.f);
  const siteId = parseSiteId(payload.data.s);
  const secret = Buffer.from(payload.data.k, "base64url");
  if (
    !address.ok ||
    !standbys.every((standby) => standby.ok) ||
    !rootFingerprint.ok ||
    !siteId.ok ||
    secret.length !== secretBytes
  ) {
    return refuse("token.field");
  }
  const { e: expiresAt } = payload.data;
  if (expiresAt > 8.64e15) return refuse("token.field");
  if (now >= expiresAt) {
    return err(fault("TOKEN_EXPIRED", "token.expired", { at: nameOf(new Date(expiresAt).toISOString()) }));
  }
  return ok({
    address: formatAddress(address.value),
    standbys: standbys.map((standby) => formatAddress(standby.value)),
    rootFingerprint: rootFingerprint.value,
    siteId: siteId.value,
    secret: new SecretBytes(secret),
    expiresAt,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
