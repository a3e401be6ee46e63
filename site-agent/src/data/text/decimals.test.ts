import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Decimals } from "./decimals.js";

function read(text: string, mark = "."): { readonly number: number; readonly rest: string } {
  const bytes = Buffer.from(`${text}\n${" ".repeat(16)}`);
  const decimals = new Decimals(bytes, mark.charCodeAt(0));
  const number = decimals.read(0);
  return { number, rest: text.slice(decimals.end) };
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

  test("is given up half way between two float64", () => {
    expect(read("9007199.254740993").number).toBe(9007199.254740993);
    // 2^53 + 1 over 2, whose neighbours are as near.
    expect(read("1.00000000000000011102230246251565404").rest).not.toBe("");
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
