import { err, ok, type Result } from "./result.js";

/**
 * The one text of a JSON value, for hashing and signing: keys sorted by code unit, no white space, numbers as
 * ECMAScript prints them (RFC 8785). `undefined` members are left out.
 * @throws RangeError on a value that JSON cannot hold (NaN, Infinity, functions, bigint)
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError("canonical JSON holds finite numbers only");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(",")}}`;
  }
  throw new RangeError(`canonical JSON cannot hold a ${typeof value}`);
}

/** Arrays and objects within one another, at most: more is read by nobody. */
export const canonicalDepthMax = 64;

/** What is wrong with a text that should be canonical JSON. */
export type CanonicalFault = "not JSON" | "not in canonical form";

/**
 * Reads a text that travelled. Every reader of a canonical text begins here, so that no two of them differ over one.
 * @returns the value whose one text this is. Refused is any other spelling (white space, order of keys, a key twice, -0, numbers
 *   that no double holds), and what two programs might read differently: unpaired surrogates, keys `__proto__`, more than
 *   `canonicalDepthMax` levels
 */
export function readCanonicalJson(text: string): Result<unknown, CanonicalFault> {
  // Before anything recurses.
  if (isDeeper(text, canonicalDepthMax)) return err("not in canonical form");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return err("not JSON");
  }
  return isPortable(value) && canonicalJson(value) === text ? ok(value) : err("not in canonical form");
}

/** The same of bytes in UTF-8. */
export function readCanonicalBytes(bytes: Uint8Array): Result<unknown, CanonicalFault> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return err("not JSON");
  }
  return readCanonicalJson(text);
}

const quote = 0x22;
const backslash = 0x5c;

/** Whether brackets outside of strings are open to more than so many levels at once. */
function isDeeper(text: string, max: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isInString) {
      if (unit === backslash) at++;
      else if (unit === quote) isInString = false;
    } else if (unit === quote) isInString = true;
    else if (unit === 0x5b || unit === 0x7b) {
      depth++;
      if (depth > max) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth--;
  }
  return false;
}

/** Whether every program reads a value alike. */
function isPortable(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string") return isWellFormed(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isPortable);
  return Object.entries(value).every(
    ([key, member]) => key !== "__proto__" && isWellFormed(key) && isPortable(member),
  );
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
