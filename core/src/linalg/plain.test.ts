import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainKernels } from "./plain.js";

const kernels = plainKernels();

describe("the plain Gram matrix", () => {
  it("is XᵀX, both triangles, over any number of blocks", async () => {
    const gram = kernels.gram(2);
    await gram.add(Float64Array.of(1, 2, 3, 4), 2);
    await gram.add(Float64Array.of(5, 6, 99, 99), 1);
    await gram.add(new Float64Array(0), 0);
    expect([...(await gram.finish())]).toEqual([35, 44, 44, 56]);
  });

  it("is zero without rows", async () => {
    expect([...(await kernels.gram(2).finish())]).toEqual([0, 0, 0, 0]);
  });

  it("refuses what is not a block, and further use once finished", async () => {
    const gram = kernels.gram(2);
    await expect(gram.add(new Float64Array(3), 2)).rejects.toThrow(RangeError);
    await expect(gram.add(new Float64Array(4), -1)).rejects.toThrow(RangeError);
    await expect(gram.add(new Float64Array(4), 0.5)).rejects.toThrow(RangeError);
    await gram.finish();
    await expect(gram.add(new Float64Array(4), 2)).rejects.toThrow(/ended/);
    await expect(gram.finish()).rejects.toThrow(/ended/);
    expect(() => kernels.gram(0)).toThrow(RangeError);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e200])(
    "refuses %s in the data, naming the column",
    async (bad) => {
      const gram = kernels.gram(3);
      await gram.add(Float64Array.of(1, bad, 1, 1, 1, 1), 2);
      await expect(gram.finish()).rejects.toThrow(/column 1/);
    },
  );
});

describe("the plain eigensolver", () => {
  it("orders by magnitude and orients", async () => {
    const { values, vectors } = await kernels.symmetricEigen(
      Float64Array.of(0, 2, 0, 0, 0, 0, 0, 0, 1),
      3,
      3,
    );
    expect([...values].map((x) => Math.round(x * 1e12) / 1e12)).toEqual([2, -2, 1]);
    const expected = [Math.SQRT1_2, Math.SQRT1_2, 0, Math.SQRT1_2, -Math.SQRT1_2, 0, 0, 0, 1];
    for (let i = 0; i < 9; i++) expect(vectors[i]).toBeCloseTo(expected[i]!, 12);
  });

  it("rebuilds the matrix from its parts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 1, max: 8 })
          .chain((d) =>
            fc.tuple(
              fc.constant(d),
              fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: d * d, maxLength: d * d }),
            ),
          ),
        async ([d, entries]) => {
          const a = Float64Array.from(entries);
          const { values, vectors } = await kernels.symmetricEigen(a, d, d);
          for (let i = 0; i < d; i++) {
            for (let j = i; j < d; j++) {
              let sum = 0;
              for (let q = 0; q < d; q++) sum += values[q]! * vectors[q * d + i]! * vectors[q * d + j]!;
              expect(Math.abs(sum - a[i * d + j]!)).toBeLessThan(1e-11);
            }
          }
        },
      ),
    );
  });
});
