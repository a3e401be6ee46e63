import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchFails, noneMatchFails, parseRange, rangeApplies } from "./conditional.js";

const etag = '"abc"';

describe("If-None-Match", () => {
  it.each([
    [undefined, false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    ['"x,abc"', false],
    ["*", true],
    ["abc", false],
    ["", false],
  ])("%s", (field, fails) => expect(noneMatchFails(field, etag)).toBe(fails));
});

describe("If-Match compares strongly", () => {
  it.each([
    [undefined, false],
    ['"abc"', false],
    ['W/"abc"', true],
    ['"x", "abc"', false],
    ["*", false],
    ['"x"', true],
  ])("%s", (field, fails) => expect(matchFails(field, etag)).toBe(fails));
});

describe("If-Range compares strongly and knows no date", () => {
  it.each([
    [undefined, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['"x"', false],
    ["Sat, 29 Oct 1994 19:43:31 GMT", false],
  ])("%s", (field, applies) => expect(rangeApplies(field, etag)).toBe(applies));
});

describe("Range", () => {
  it.each([
    [undefined, "ignored"],
    ["bytes=0-0", [{ first: 0, last: 0 }]],
    ["bytes=0-", [{ first: 0, last: 99 }]],
    ["bytes=10-1000", [{ first: 10, last: 99 }]],
    ["bytes=-5", [{ first: 95, last: 99 }]],
    ["bytes=-500", [{ first: 0, last: 99 }]],
    ["BYTES = 1-2", [{ first: 1, last: 2 }]],
    [
      "bytes=90-99,0-9",
      [
        { first: 90, last: 99 },
        { first: 0, last: 9 },
      ],
    ],
    ["bytes=, 1-2 ,", [{ first: 1, last: 2 }]],
    ["bytes=200-300, 0-1", [{ first: 0, last: 1 }]],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=5-4", "ignored"],
    ["bytes=a-b", "ignored"],
    ["bytes=-", "ignored"],
    ["bytes=", "ignored"],
    ["bytes=0-5,5-9", "ignored"],
    ["items=0-5", "ignored"],
    ["0-5", "ignored"],
    [`bytes=${Array.from({ length: 40 }, (_, i) => `${2 * i}-${2 * i}`).join(",")}`, "ignored"],
  ] as const)("%s", (field, expected) => expect(parseRange(field, 100)).toEqual(expected));

  it("never leaves the file, whatever is asked", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(1000), (text, size) => {
        const asked = parseRange(`bytes=${text}`, size);
        if (typeof asked === "string") return;
        for (const { first, last } of asked) {
          expect(first >= 0 && first <= last && last < size).toBe(true);
        }
      }),
    );
  });
});
