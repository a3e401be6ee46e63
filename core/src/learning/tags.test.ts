import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StageId } from "../ids.js";
import { tagRecordBytes } from "../study/plan.js";
import { type ClassSizes, isKAnonymous, mergeTagCounts, TupleCounts, tagKey } from "./tags.js";

const seed = new Uint8Array(32).fill(7);
const key = tagKey(seed, "test-1" as StageId);

type Tuple = readonly number[];

function tagged(tuples: readonly Tuple[], under = key): Uint8Array {
  const counts = new TupleCounts(tuples[0]?.length ?? 1);
  for (const tuple of tuples) counts.add(tuple);
  return counts.tagged(under);
}

async function* records(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += tagRecordBytes) yield bytes.subarray(at, at + tagRecordBytes);
}

const merged = (sites: readonly Uint8Array[], rowsMost = 1_000_000): Promise<ClassSizes> =>
  mergeTagCounts(sites.map(records), rowsMost);

/** By comparing texts, without tags. */
function naive(tuples: readonly Tuple[]): ClassSizes {
  const counts = new Map<string, number>();
  for (const tuple of tuples) counts.set(tuple.join(), (counts.get(tuple.join()) ?? 0) + 1);
  const sizes = [...counts.values()];
  return {
    rows: tuples.length,
    classes: sizes.length,
    smallest: sizes.length === 0 ? 0 : Math.min(...sizes),
  };
}

describe("tags with counts", () => {
  it("give the class sizes of all rows together, however they are divided over sites", async () => {
    const tuple = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(0, 255, 256, 65_535));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(tuple, fc.integer({ min: 0, max: 4 })), { maxLength: 60 }),
        async (rows) => {
          const sites = [0, 1, 2, 3, 4].map((site) => rows.filter(([, at]) => at === site).map(([t]) => t));
          const expected = naive(rows.map(([t]) => t));
          expect(await merged(sites.map((own) => tagged(own)))).toEqual(expected);
          expect(await merged(sites.map((own) => tagged(own)).reverse())).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("do not depend on the order of the rows, and are ascending", () => {
    const rows = [
      [1, 2],
      [3, 4],
      [1, 2],
      [0, 0],
    ];
    const tags = tagged(rows);
    expect(tagged([...rows].reverse())).toEqual(tags);
    const hex = [0, 1, 2].map((i) => Buffer.from(tags.subarray(i * 20, i * 20 + 16)).toString("hex"));
    expect(hex).toEqual([...hex].sort());
    expect(new Set(hex).size).toBe(3);
  });

  it("of another stage, or under another seed, have nothing in common", () => {
    const of = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 16)).toString("hex");
    const tags = [
      key,
      tagKey(seed, "test-2" as StageId),
      tagKey(new Uint8Array(32).fill(8), "test-1" as StageId),
    ].map((under) => of(tagged([[1, 2]], under)));
    expect(new Set(tags).size).toBe(3);
    expect(() => tagKey(new Uint8Array(16), "test-1" as StageId)).toThrow(RangeError);
  });

  it("of a site that made them up are refused", async () => {
    const good = tagged([[1], [2], [3]]);
    const swapped = Buffer.concat([good.subarray(20, 40), good.subarray(0, 20)]);
    const twice = Buffer.concat([good.subarray(0, 20), good.subarray(0, 20)]);
    const nothing = Buffer.from(good);
    nothing.writeUInt32LE(0, 16);
    await expect(merged([good, swapped])).rejects.toThrow(/not ascending/);
    await expect(merged([twice])).rejects.toThrow(/not ascending/);
    await expect(merged([nothing])).rejects.toThrow(/count/);
    await expect(merged([good], 2)).rejects.toThrow(/more than a site can have/);
    await expect(merged([good.subarray(0, 30)])).rejects.toThrow(/length/);
    expect(await merged([good], 3)).toEqual({ rows: 3, classes: 3, smallest: 1 });
  });
});

describe("K-anonymity", () => {
  it("accepts A1 = aaabbb and rejects it with A2 = xxyxxy, at K = 2", () => {
    const [a1, a2] = [
      [0, 0, 0, 1, 1, 1],
      [0, 0, 1, 0, 0, 1],
    ];
    const sizes = (columns: readonly (readonly number[])[]) => {
      const counts = new TupleCounts(columns.length);
      for (let r = 0; r < 6; r++) counts.add(columns.map((column) => column[r]!));
      return counts.sizes();
    };
    expect(isKAnonymous(sizes([a1!]), 2)).toBe(true);
    expect(isKAnonymous(sizes([a1!, a2!]), 2)).toBe(false);
    expect(sizes([a1!, a2!])).toEqual({ rows: 6, classes: 4, smallest: 1 });
  });

  it("is not had by no rows at all", () => {
    expect(isKAnonymous({ rows: 0, classes: 0, smallest: 0 }, 1)).toBe(false);
  });
});
