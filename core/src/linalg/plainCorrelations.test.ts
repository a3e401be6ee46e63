import { describe, expect, it } from "vitest";
import { plainCorrelations } from "./plainCorrelations.js";

const search = (starts: number[], labels: number[], classes = 2) =>
  plainCorrelations({ starts: Uint32Array.from(starts), labels: Uint16Array.from(labels), classes });
const largest = async (starts: number[], labels: number[], values: number[], classes = 2) => {
  const { correlations, cuts } = await search(starts, labels, classes).column((into) => into.set(values));
  return [[...correlations], [...cuts]];
};

describe("the largest correlations", () => {
  it("are those of each group by itself, with the smallest of equal cuts", async () => {
    // x ≤ 2 and x ≤ 1 | 3 agree alike with the labels 0 1 0 1.
    const [correlations, cuts] = await largest([0, 2, 2, 6], [1, 0, 0, 1, 0, 1], [5, 3, 1, 2, 3, 4]);
    expect(correlations).toEqual([1, 0, 1 / Math.sqrt(3)].map((x) => expect.closeTo(x, 15)));
    expect(cuts).toEqual([3, 0, 1]);
  });

  it("are nothing for a group of one class, of one value, and of one row", async () => {
    const [correlations] = await largest([0, 2, 4, 5], [1, 1, 0, 1, 0], [1, 2, 7, 7, 3]);
    expect(correlations).toEqual([0, 0, 0]);
  });

  it("take one class against the rest where there are three", async () => {
    const [correlations, cuts] = await largest([0, 6], [0, 1, 0, 1, 2, 2], [1, 2, 3, 4, 5, 6], 3);
    expect([correlations, cuts]).toEqual([[expect.closeTo(1, 15)], [4]]);
  });

  it.each<[string, number[], number[], number, RegExp]>([
    ["do not begin with the first row", [1, 2], [0, 0], 2, /do not cover the 2 rows/],
    ["overlap", [0, 2, 1, 2], [0, 0], 2, /do not cover/],
    ["leave rows out", [0, 1], [0, 0], 2, /do not cover/],
    ["are none", [], [], 2, /do not cover the 0 rows/],
    ["have invalid labels", [0, 2], [0, 2], 2, /label is not below 2/],
    ["have no classes", [0, 0], [], 0, /number of classes 0/],
  ])("refuse groups that %s", (_, starts, labels, classes, message) => {
    expect(() => search(starts, labels, classes)).toThrow(message);
  });

  it("end", async () => {
    const ended = search([0, 1], [0]);
    await ended.end();
    await expect(ended.column(() => {})).rejects.toThrow(/ended/);
  });
});
