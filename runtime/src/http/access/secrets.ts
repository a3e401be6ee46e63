import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { RandomSource } from "@consilium/core/random";

/** Random bytes of every secret that is made here. With 256 bits a plain SHA-256 cannot be turned back. */
const secretBytes = 32;
/** Anything longer in a request is no secret of ours and not worth hashing. */
const secretPattern = /^[\x21-\x7e]{1,512}$/;

/** A new secret as text that fits a cookie, a header and a URL's fragment. */
export function mintSecret(random: RandomSource, prefix = ""): string {
  return `${prefix}${Buffer.from(random.bytes(secretBytes)).toString("base64url")}`;
}

/** What is kept of a secret, hexadecimal; null for what cannot be one. */
export function secretHash(secret: string | undefined): string | null {
  if (secret === undefined || !secretPattern.test(secret)) return null;
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/**
 * The token that a page sends back with what it changes. It follows from the session's secret, which no script can
 * read, so that a page of another origin cannot know it and that of one session is none for another.
 */
export function csrfOf(sessionSecret: string): string {
  return createHmac("sha256", sessionSecret).update("consilium csrf v1").digest("base64url");
}

/** Compares in a time that does not depend on where they differ. */
export function equalText(a: string, b: string): boolean {
  const [x, y] = [a, b].map((text) => createHash("sha256").update(text, "utf8").digest());
  return timingSafeEqual(x!, y!);
}

/** The token of `Authorization: Bearer <token>`. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(header ?? "")?.[1];
}

/** One cookie of a request. Of several with one name the first counts, which is the one of the longest path. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const part of header.split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}
