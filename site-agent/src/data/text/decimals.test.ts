import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Decimals } from "./decimals.js";

function read(text: string, mark = "."): { readonly number: number; readonly rest: string } {
  const bytes = Buffer.from(`${text}\n${" ".repeat(16)}`);
  const decimals = new Decimals(bytes, mark.charCodeAt(0));
  const numbers = new Float64Array(1);
  const end = decimals.read(0, numbers, 0);
  return { number: numbers[0]!, rest: text.slice(end) };
}

describe("a number that is read without a text", () => {
  test.each([
    "0",
    "7",
    "-7",
    "+7",
    "12.50",
    "-0.5",
    ".5",
    "5.",
    "0.1",
    "123456789.123",
    "0.30000000000000004",
  ])("%s is what JavaScript reads", (text) => {
    expect(read(text)).toEqual({ number: Number(text), rest: "" });
  });

  test("is the nearest float64, or is left to the text", () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_200_000_000 }),
        fc.stringMatching(/^[0-9]{0,21}$/),
        fc.boolean(),
        (whole, fraction, isNegative) => {
          const text = `${isNegative ? "-" : ""}${whole}.${fraction}`;
          const { number, rest } = read(text);
          if (rest !== "" || Number.isNaN(number)) return;
          found++;
          expect(number).toBe(Number(text) + 0);
        },
      ),
      { numRuns: 20_000, seed: 7 },
    );
    expect(found).toBeGreaterThan(10_000);
  });

  test("is the nearest float64 where programs write all their digits", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (value) => {
        const { number, rest } = read(String(value));
        if (rest === "" && !Number.isNaN(number)) expect(number).toBe(value);
      }),
      { numRuns: 20_000, seed: 7 },
    );
  });

  test("is the nearest float64, or is left to the text, where the middle of two is as near as digits come", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }),
        fc.integer({ min: 0, max: 56 }),
        fc.bigInt({ min: 0n, max: 1n }),
        (mantissa, exponent, more) => {
          const middle = ((2n * mantissa + 1n) * 10n ** 19n) / 2n ** BigInt(24 + exponent) + more;
          const digits = String(middle).padStart(20, "0");
          const text = `${digits.slice(0, -19)}.${digits.slice(-19)}`;
          const { number, rest } = read(text);
          if (rest === "" && !Number.isNaN(number)) expect(number).toBe(Number(text));
        },
      ),
      { numRuns: 20_000, seed: 7 },
    );
  });

  test("is given up half way between two float64", () => {
    expect(read("9007199.254740993").number).toBe(9007199.254740993);
    // 2^53 + 1 over 2, whose neighbours are as near.
    expect(read("1.00000000000000011102230246251565404").rest).not.toBe("");
  });

  test("ends at every byte that is no digit", () => {
    const written = "1.12345678";
    for (let byte = 0; byte < 256; byte++)
      for (let at = 2; at < written.length; at++) {
        if (byte >= 0x30 && byte <= 0x39) continue;
        const bytes = Buffer.from(`${written}\n${" ".repeat(16)}`);
        bytes[at] = byte;
        const decimals = new Decimals(bytes, ".".charCodeAt(0));
        const numbers = new Float64Array(1);
        expect(decimals.read(0, numbers, 0)).toBe(at);
        expect(numbers[0]).toBe(Number(written.slice(0, at)));
      }
  });

  test.each(["", "-", ".", "-.", "x", " 1", "1 ", "1e3", "1_0", "--5", "1.2.3", "٣"])(
    "%j is none, or part of one",
    (text) => {
      const { number, rest } = read(text);
      expect(Number.isNaN(number) || rest !== "").toBe(true);
    },
  );

  test("has the decimal mark that is stated", () => {
    expect(read("1,5", ",")).toEqual({ number: 1.5, rest: "" });
    expect(read("1.5", ",").rest).toBe(".5");
    expect(Object.is(read("-0").number, 0)).toBe(true);
  });
});
