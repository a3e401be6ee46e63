import { seededRandom } from "@consilium/core/testing/privacy/random";
import { chiSquare, falsePositiveRate } from "@consilium/core/testing/privacy/statistics";
import { describe, expect, it } from "vitest";
import { RandomWords } from "./randomWords.js";

describe("RandomWords", () => {
  it("hands out every byte of its source once, in order, whatever buffer the source lends", () => {
    const lent = Buffer.alloc(1 << 20, 0xee);
    let byte = 0;
    const words = new RandomWords({
      bytes(count) {
        // The same memory each time, at an odd place in a larger buffer.
        const part = lent.subarray(3, 3 + count);
        for (let i = 0; i < count; i++) part[i] = byte++ % 251;
        return part;
      },
    });
    const seen = Uint32Array.from({ length: 40_000 }, () => words.next());
    const bytes = new Uint8Array(seen.buffer);
    expect(bytes.findIndex((value, index) => value !== index % 251)).toBe(-1);
  });

  it("gives uniform bits and integers", () => {
    const words = new RandomWords(seededRandom("uniform"));
    const bits = [0, 0];
    for (let i = 0; i < 100_000; i++) bits[words.bit()]!++;
    expect(chiSquare(bits, [50_000, 50_000]).probability).toBeGreaterThan(falsePositiveRate);
    for (const bound of [1, 2, 3, 10, 128, 129]) {
      const counts = new Array<number>(bound).fill(0);
      for (let i = 0; i < 100_000; i++) counts[words.below(bound)]!++;
      if (bound > 1) {
        const expected = counts.map(() => 100_000 / bound);
        expect(chiSquare(counts, expected).probability).toBeGreaterThan(falsePositiveRate);
      }
    }
    expect(words.below(2 ** 32)).toBeLessThan(2 ** 32);
  });

  it("refuses a source that gives too little", () => {
    expect(() => new RandomWords({ bytes: () => new Uint8Array(3) }).next()).toThrow(RangeError);
  });
});
