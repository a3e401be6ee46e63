import { assertNever } from "@consilium/core/result";
import type { encodings } from "../fileConfig.js";

/** Bytes become characters here, before any reader sees them, and nothing can fail: what is no character becomes U+FFFD. */

export type Encoding = (typeof encodings)[number];

/** Text of bytes in UTF-8 as they came: what is no UTF-8 becomes U+FFFD, and a byte order mark stays. */
export function textOf(bytes: Buffer, from = 0, to = bytes.length): string {
  return bytes.toString("utf8", from, to);
}

/** Turns the bytes of a file, piece by piece, into UTF-8. */
export interface ToUtf8 {
  /** @returns valid until the next call */
  piece(bytes: Uint8Array): Uint8Array;
  /** What a character that is cut off at the file's end becomes. */
  end(): Uint8Array;
}

/**
 * The decoder of a file.
 * @param stated - as the site's configuration says; left out, UTF-8
 * @param marked - whether a byte order mark decides what is not stated to the byte: not where the first bytes are a record's
 */
export function toUtf8(stated: Encoding | undefined, marked: boolean): ToUtf8 {
  return new MarkedDecoder(stated ?? "utf-8", marked);
}

const none = new Uint8Array(0);
const longestMark = 3;

/** Looks at a file's first bytes, drops a byte order mark and hands the rest on. */
class MarkedDecoder implements ToUtf8 {
  readonly #stated: Encoding;
  readonly #marked: boolean;
  #first: Uint8Array | null = none;
  #decoder: ToUtf8 | null = null;

  constructor(stated: Encoding, marked: boolean) {
    this.#stated = stated;
    this.#marked = marked;
  }

  piece(bytes: Uint8Array): Uint8Array {
    if (this.#decoder !== null) return this.#decoder.piece(bytes);
    const first = Buffer.concat([this.#first!, bytes]);
    if (first.length < longestMark) {
      this.#first = first;
      return none;
    }
    return this.#begin(first);
  }

  end(): Uint8Array {
    const rest = this.#decoder === null ? Buffer.from(this.#begin(this.#first!)) : none;
    return Buffer.concat([rest, this.#decoder!.end()]);
  }

  #begin(first: Uint8Array): Uint8Array {
    this.#first = null;
    const { encoding, mark } = markOf(first, this.#stated, this.#marked);
    this.#decoder = decoderOf(encoding);
    return this.#decoder.piece(first.subarray(mark));
  }
}

/** What a file is written in, and how many bytes its mark has. */
function markOf(
  [a, b, c]: Uint8Array,
  stated: Encoding,
  marked: boolean,
): { encoding: Exclude<Encoding, "utf-16">; mark: number } {
  if (a === 0xef && b === 0xbb && c === 0xbf && (marked || stated === "utf-8"))
    return { encoding: "utf-8", mark: 3 };
  const little = a === 0xff && b === 0xfe;
  const big = a === 0xfe && b === 0xff;
  const decides = marked || stated === "utf-16";
  if (little && (decides || stated === "utf-16le")) return { encoding: "utf-16le", mark: 2 };
  if (big && (decides || stated === "utf-16be")) return { encoding: "utf-16be", mark: 2 };
  return { encoding: stated === "utf-16" ? "utf-16le" : stated, mark: 0 };
}

function decoderOf(encoding: Exclude<Encoding, "utf-16">): ToUtf8 {
  switch (encoding) {
    case "utf-8":
      return { piece: (bytes) => bytes, end: () => none };
    case "windows-1252":
      return oneByte(windows1252);
    case "latin-1":
      return oneByte("");
    case "utf-16le":
      return new Utf16Decoder(1, 0);
    case "utf-16be":
      return new Utf16Decoder(0, 1);
    default:
      return assertNever(encoding);
  }
}

/** Characters of the bytes 80 to 9f; five of them have none and stay control characters. https://encoding.spec.whatwg.org/index-windows-1252.txt */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** An encoding with one byte a character, which is Unicode's number but for bytes from 80 to 9f. */
const oneByte = (from80: string): ToUtf8 => ({
  piece(bytes) {
    const text = Buffer.from(bytes).toString("latin1");
    return Buffer.from(text.replace(/[\x80-\x9f]/g, (byte) => from80[byte.charCodeAt(0) - 0x80] ?? byte));
  },
  end: () => none,
});

const lineFeed = 0x0a;
const noCharacter = 0xfffd;

/**
 * UTF-16. A line feed is one at every place of a file, so that an odd number of bytes too many in one record leaves the next one
 * whole: of text as it should be only a letter of Gurmukhi or Gujarati before U+xx00 looks like it.
 */
class Utf16Decoder implements ToUtf8 {
  readonly #high: 0 | 1;
  readonly #low: 0 | 1;
  #rest: Uint8Array = none;
  /** First half of a pair that is not complete. */
  #lead: readonly number[] = [];

  /** @param high, low - which byte of two is the higher and which the lower */
  constructor(high: 0 | 1, low: 0 | 1) {
    this.#high = high;
    this.#low = low;
  }

  piece(bytes: Uint8Array): Uint8Array {
    const all = Buffer.concat([this.#rest, bytes]);
    const units = new Uint16Array(all.length + 2);
    units.set(this.#lead);
    let [at, count] = [0, this.#lead.length];
    // Of three bytes the last two may be a line feed.
    for (; at + 3 <= all.length; at += 2) {
      if (this.#isLineFeed(all, at + 1) && !this.#isLineFeed(all, at)) {
        units[count++] = noCharacter;
        at--;
      } else units[count++] = this.#unit(all, at);
    }
    this.#rest = all.subarray(at);
    const last = units[count - 1] ?? 0;
    this.#lead = count > 0 && last >= 0xd800 && last < 0xdc00 ? [last] : [];
    return utf8Of(units.subarray(0, count - this.#lead.length));
  }

  end(): Uint8Array {
    const rest = this.#rest;
    const whole = rest.length >= 2 ? [this.#unit(rest, 0)] : [];
    return utf8Of([...this.#lead, ...whole, ...(rest.length % 2 === 1 ? [noCharacter] : [])]);
  }

  #unit(bytes: Uint8Array, at: number): number {
    return (bytes[at + this.#high]! << 8) | bytes[at + this.#low]!;
  }

  #isLineFeed(bytes: Uint8Array, at: number): boolean {
    return this.#unit(bytes, at) === lineFeed;
  }
}

/** Of halves of pairs U+FFFD is made. */
function utf8Of(units: ArrayLike<number>): Buffer {
  return Buffer.from(Buffer.from(Uint16Array.from(units).buffer).toString("utf16le"));
}
