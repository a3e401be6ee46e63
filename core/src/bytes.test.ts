import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  base64Of,
  base64urlOf,
  bytesOfLatin1,
  fromBase64,
  fromBase64url,
  latin1Of,
  utf8Of,
} from "./bytes.js";

describe("bytes as text", () => {
  it("are what Node's own encodings give, and come back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(base64Of(bytes)).toBe(buffer.toString("base64"));
        expect(base64urlOf(bytes)).toBe(buffer.toString("base64url"));
        expect(latin1Of(bytes)).toBe(buffer.toString("latin1"));
        expect(fromBase64(base64Of(bytes))).toEqual(bytes);
        expect(fromBase64url(base64urlOf(bytes))).toEqual(bytes);
        expect(bytesOfLatin1(latin1Of(bytes))).toEqual(bytes);
      }),
    );
    const large = new Uint8Array(100_000).map((_, at) => at % 251);
    expect(fromBase64(base64Of(large))).toEqual(large);
    expect(Buffer.from(utf8Of("größe 🫀"))).toEqual(Buffer.from("größe 🫀"));
  });

  it("have one spelling", () => {
    for (const text of ["QUI", "QUI=\n", " QUI=", "QUJ=", "QQ=", "Q", "Q===", "QU-_", "ÿ"]) {
      expect([text, fromBase64(text)]).toEqual([text, undefined]);
    }
    for (const text of ["QUI=", "QUJ", "Q", "QU+/", "QUI\n", "ÿ"]) {
      expect([text, fromBase64url(text)]).toEqual([text, undefined]);
    }
    expect(() => bytesOfLatin1("€")).toThrow(RangeError);
  });

  it("are refused for whatever Node's strict check refuses", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const strict = Buffer.from(text, "base64").toString("base64") === text;
        expect(fromBase64(text) !== undefined).toBe(strict);
        const strictUrl = Buffer.from(text, "base64url").toString("base64url") === text;
        expect(fromBase64url(text) !== undefined).toBe(strictUrl);
      }),
    );
  });
});
