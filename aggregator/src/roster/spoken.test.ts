import { spokenFormats } from "@consilium/core/limits";
import { describe, expect, it } from "vitest";
import { behindOf, editionAt, type Speaks, spokenEdition } from "./spoken.js";

const speaks = (editions: Readonly<Record<string, number>>): Speaks => ({ ...spokenFormats, editions });

describe("what a site speaks", () => {
  it("is the newest edition of a method that its software has", () => {
    expect(editionAt(speaks({ counts: 2 }), "counts")).toBe(2);
    // Not in its registry, as a published one: what it makes of a study of it is not known.
    expect(editionAt(speaks({ counts: 2 }), "xgb-ka")).toBe(Number.POSITIVE_INFINITY);
    expect(editionAt(speaks({}), "toString")).toBe(Number.POSITIVE_INFINITY);
  });

  it("is the first edition of each where it does not say", () => {
    expect(editionAt(null, "counts")).toBe(1);
  });

  it("is shown where it is behind, of formats too", () => {
    const own = speaks({ counts: 2, describe: 3 });
    expect(behindOf(own, own)).toEqual([]);
    expect(behindOf(speaks({ counts: 3, describe: 1 }), own)).toEqual([
      { what: "describe", speaks: 1, newest: 3 },
    ]);
    expect(behindOf(null, own)).toEqual([
      { what: "counts", speaks: 1, newest: 2 },
      { what: "describe", speaks: 1, newest: 3 },
    ]);
    const newer = { ...own, plan: { lowest: 3, highest: 4 }, statement: { lowest: 2, highest: 3 } };
    expect(behindOf(own, newer)).toEqual([
      { what: "plan", speaks: 3, newest: 4 },
      { what: "statement", speaks: 2, newest: 3 },
    ]);
    expect(behindOf(null, { ...newer, editions: {} })).toHaveLength(2);
  });
});

describe("the edition of a new study", () => {
  const of = (editions: readonly number[], spoken: readonly number[], minimum: number | null) =>
    spokenEdition(editions, spoken, minimum);

  it("is the newest that every named site speaks", () => {
    expect(of([1, 2, 3], [3, 2, 2], null)).toBe(2);
    expect(of([1, 2, 3], [3, 4, Number.POSITIVE_INFINITY], null)).toBe(3);
    expect(of([1, 3], [2, 3], null)).toBe(1);
  });

  it("is the newest that as many sites speak as it needs, where it names none", () => {
    expect(of([1, 2, 3], [1, 3, 2, 2, 3], 2)).toBe(3);
    expect(of([1, 2, 3], [1, 3, 2, 2, 3], 3)).toBe(2);
    expect(of([1, 2, 3], [1, 3, 2, 2, 3], 5)).toBe(1);
  });

  it("is the oldest that there is where too few speak any", () => {
    expect(of([2, 3], [1, 1], 2)).toBe(2);
    expect(of([1, 2], [2], 2)).toBe(1);
  });
});
