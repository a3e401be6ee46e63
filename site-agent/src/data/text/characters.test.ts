import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Encoding, textOf, toUtf8 } from "./characters.js";

function decoded(bytes: Buffer, encoding: Encoding | undefined, marked = true, piece = bytes.length): string {
  const decoder = toUtf8(encoding, marked);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += Math.max(1, piece))
    parts.push(Buffer.from(decoder.piece(bytes.subarray(at, at + Math.max(1, piece)))));
  return textOf(Buffer.concat([...parts, decoder.end()]));
}

const big = (text: string) => Buffer.from(text, "utf16le").swap16();

describe("bytes become characters", () => {
  test.each<[string, Buffer, Encoding | undefined]>([
    ["UTF-8", Buffer.from("größe € 😀"), undefined],
    [
      "windows-1252",
      Buffer.from([...Buffer.from("gr\u00f6\u00dfe ", "latin1"), 0x80, 0x20, 0x84]),
      "windows-1252",
    ],
    ["latin-1", Buffer.from("größe", "latin1"), "latin-1"],
    ["UTF-16, as stated", Buffer.from("größe € 😀", "utf16le"), "utf-16"],
    ["big-endian UTF-16", big("größe € 😀"), "utf-16be"],
    ["UTF-16 by its mark", Buffer.from("\ufeffgröße € 😀", "utf16le"), undefined],
    ["big-endian UTF-16 by its mark", big("\ufeffgröße € 😀"), "utf-16"],
    ["UTF-8 by its mark", Buffer.from("\ufeffgröße € 😀"), "windows-1252"],
  ])("of %s, in pieces of any length", (_, bytes, encoding) => {
    const whole = decoded(bytes, encoding);
    expect(whole).toMatch(/^größe( €( [„😀])?)?/u);
    expect(whole).not.toContain("\ufffd");
    for (const piece of [1, 2, 3, 5]) expect(decoded(bytes, encoding, true, piece)).toBe(whole);
  });

  test("a mark that a record may begin with does not decide how the others are read", () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a\nb\n")]);
    expect(decoded(bytes, undefined, false)).toMatch(/a\nb\n$/);
    expect(decoded(bytes, "latin-1", false)).toMatch(/a\nb\n$/);
    expect(decoded(bytes, "utf-16be", false)).not.toContain("\n");
  });

  test("half a pair, and half a character, are U+FFFD", () => {
    expect(decoded(Buffer.from("a\ud800b\udc00c", "utf16le"), "utf-16")).toBe("a\ufffdb\ufffdc");
    expect(decoded(Buffer.from([0x61, 0, 0x62]), "utf-16")).toBe("a\ufffd");
    expect(decoded(Buffer.from([0x61, 0xff, 0x62, 0xc3]), undefined)).toBe("a\ufffdb\ufffd");
  });

  test("bytes of any number within a line of UTF-16 leave the other lines as they are", () => {
    const lines = ["eins;größe", "zwei;€", "drei;日本", "vier;😀"];
    for (const [encoding, of] of [
      ["utf-16le", (text: string) => Buffer.from(text, "utf16le")],
      ["utf-16be", big],
    ] as const)
      fc.assert(
        fc.property(
          fc.uint8Array({ maxLength: 9 }),
          fc.nat(9),
          fc.nat(3),
          fc.nat(40),
          (noise, cut, line, piece) => {
            const parts = lines.map((text) => of(`${text}\n`));
            const own = parts[line]!;
            const at = Math.min(cut, own.length - 2);
            parts[line] = Buffer.concat([own.subarray(0, at), noise, own.subarray(at)]);
            const read = decoded(Buffer.concat(parts), encoding, false, piece).split("\n");
            expect(read.slice(0, line)).toEqual(lines.slice(0, line));
            // A carriage return or line feed among the bytes makes more lines of one.
            expect(read.slice(read.length - lines.length + line)).toEqual([...lines.slice(line + 1), ""]);
          },
        ),
        { numRuns: 2_000, seed: 7 },
      );
  });
});
