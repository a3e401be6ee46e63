/** Bytes as text and back, with nothing but what Node and browsers both have: a certificate is verified in either. */

/** Arguments of one call: engines limit them. */
const chunk = 8_192;

/** Every byte as the character of its number (ISO 8859-1). */
export function latin1Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += chunk) {
    text += String.fromCharCode(...bytes.subarray(at, at + chunk));
  }
  return text;
}

/**
 * The inverse of `latin1Of`.
 * @throws RangeError on a character above U+00FF
 */
export function bytesOfLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0xff) throw new RangeError("the text has a character that is no byte");
    bytes[at] = code;
  }
  return bytes;
}

/** UTF-8. */
export function utf8Of(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

const alphabets = {
  standard: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
} as const;
type Alphabet = keyof typeof alphabets;

const none = 0xff;
const codesOf = (alphabet: Alphabet) => bytesOfLatin1(alphabets[alphabet]);
const valuesOf = (alphabet: Alphabet) => {
  const values = new Uint8Array(256).fill(none);
  codesOf(alphabet).forEach((code, value) => {
    values[code] = value;
  });
  return values;
};
const codes = { standard: codesOf("standard"), url: codesOf("url") };
const values = { standard: valuesOf("standard"), url: valuesOf("url") };

/** Without padding. */
function encoded(bytes: Uint8Array, alphabet: Alphabet): string {
  const table = codes[alphabet];
  const text = new Uint8Array(Math.ceil((bytes.length * 4) / 3));
  let out = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    // Writes beyond the end of the array are dropped.
    for (let shift = 18; shift >= 0; shift -= 6) text[out++] = table[(group >> shift) & 63]!;
  }
  return latin1Of(text);
}

/** Undefined for a character outside the alphabet, a length that none gives, or bits beyond the last byte. */
function decoded(text: string, alphabet: Alphabet): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined;
  const table = values[alphabet];
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let out = 0;
  for (let at = 0; at < text.length; at++) {
    const value = table[text.charCodeAt(at)] ?? none;
    if (value === none) return undefined;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[out++] = held >> bits;
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

/** RFC 4648 section 4, padded. */
export function base64Of(bytes: Uint8Array): string {
  return encoded(bytes, "standard") + "=".repeat((3 - (bytes.length % 3)) % 3);
}

/** RFC 4648 section 5, without padding. */
export function base64urlOf(bytes: Uint8Array): string {
  return encoded(bytes, "url");
}

/** The bytes of padded base64; undefined for any spelling but the one that `base64Of` gives. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = text.length % 4 === 0 ? decoded(text.replace(/={0,2}$/, ""), "standard") : undefined;
  return bytes !== undefined && Math.ceil(bytes.length / 3) * 4 === text.length ? bytes : undefined;
}

/** The bytes of base64url; undefined for any spelling but the one that `base64urlOf` gives. */
export function fromBase64url(text: string): Uint8Array | undefined {
  return decoded(text, "url");
}

/** Two digits a byte, small letters. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
