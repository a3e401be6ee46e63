import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VectorContribution } from "./contributions.js";

/** What a proposal of one integer adds as one of so many rows of a patient. */
function partOf(value: number, rows: number, isFactor: boolean): number {
  const write = (_: unknown, out: Int32Array) => {
    out[0] = value;
    return 0;
  };
  const proposal = new VectorContribution(write, { parts: 1, length: 1, limit: 2 ** 50, isFactor });
  expect(proposal.ask({ values: new Float64Array(0), label: 0, draw: -1 })).toBe(true);
  proposal.divide(rows);
  return proposal.out[0]!;
}

describe("a row of a patient who counts once", () => {
  it("is divided so that all rows of the patient are within one, exactly", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(2 ** 25), max: 2 ** 25 }),
        fc.integer({ min: 1, max: 10_000 }),
        (value, rows) => {
          const q = partOf(value, rows, false);
          expect(rows * Math.abs(q)).toBeLessThanOrEqual(Math.abs(value));
          expect(rows * (Math.abs(q) + 1)).toBeGreaterThan(Math.abs(value));
          const root = partOf(value, rows, true);
          const square = BigInt(rows) * BigInt(root) ** 2n;
          expect(square).toBeLessThanOrEqual(BigInt(value) ** 2n);
          expect(Object.is(q, -0) || Object.is(root, -0)).toBe(false);
        },
      ),
    );
  });
});
