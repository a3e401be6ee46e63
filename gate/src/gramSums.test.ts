import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GramKernel, GramSums } from "./gramSums.js";

const order = 3;
const limit = 2 ** 20;

describe("GramSums", () => {
  it("adds up products exactly, whatever the kernel's batches are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 1 }), fc.array(fc.integer({ min: -500, max: 500 }), triple)), {
          maxLength: 60,
        }),
        async (records) => {
          expect(await summed(honest, records)).toEqual(plain(records));
        },
      ),
      { numRuns: 50 },
    );
  });

  const records = Array.from({ length: 50 }, (_, r): [number, number[]] => [r % 2, [r, 7 * r - 90, 3]]);

  const lies: [string, (product: Float64Array) => Float64Array][] = [
    ["one entry too large by 1", (product) => product.map((value, i) => (i === 1 ? value + 1 : value))],
    [
      "entries that cancel on the diagonal",
      (product) => product.map((v, i) => v + (i === 0 ? 1 : i === 4 ? -1 : 0)),
    ],
    ["everything times 1000", (product) => product.map((value) => value * 1000)],
    ["a multiple of 2^32 more", (product) => product.map((value, i) => (i === 2 ? value + 2 ** 32 : value))],
    ["no number", (product) => product.map((value, i) => (i === 2 ? Number.NaN : value))],
    ["too few entries", (product) => product.slice(0, 3)],
    [
      "an error",
      () => {
        throw new Error("out of memory");
      },
    ],
  ];
  for (const [what, lie] of lies) {
    it(`gives the same sums where the kernel gives ${what}`, async () => {
      expect(await summed(lying(lie), records)).toEqual(plain(records));
    });
  }

  it.each([
    ["a few rows, multiplied where they are", 5, 10_000],
    ["rows for the kernels", 60, 10_000],
    ["more rows than stay below 2^53 together", 60, 2 ** 48],
    ["a few rows after many", 67, 10_000],
  ])("is exact for %s", async (_, rows, bound) => {
    const own = Array.from({ length: rows }, (__, i): [number, number[]] => [
      0,
      [((i * 37) % 101) - 50, ((i * 53) % 97) - 48, 40],
    ]);
    expect(await summed(honest, own, { bound, rowsAtMost: 20 })).toEqual(plain(own));
  });

  it("adds nothing where a kernel changes the rows that it was handed", async () => {
    const changing: GramKernel = {
      gram: () => ({
        async add(rows) {
          rows[0] = rows[0]! + 1;
        },
        finish: async () => new Float64Array(order * order),
      }),
    };
    await expect(summed(changing, records)).rejects.toThrow(RangeError);
    const failing: GramKernel = {
      gram: () => ({ add: async () => {}, finish: () => Promise.reject(new Error()) }),
    };
    await expect(summed(failing, records)).resolves.toEqual(plain(records));
  });

  it("takes the kernel's product where it is right", async () => {
    let asked = 0;
    const counting: GramKernel = {
      gram(size) {
        asked++;
        return honest.gram(size);
      },
    };
    await summed(counting, records);
    expect(asked).toBe(2);
  });
});

const triple = { minLength: order, maxLength: order };

const honest: GramKernel = lying((product) => product);

function lying(lie: (product: Float64Array) => Float64Array): GramKernel {
  return {
    gram(size) {
      const sums = new Float64Array(size * size);
      return {
        async add(rows, count) {
          for (let r = 0; r < count; r++)
            for (let i = 0; i < size; i++)
              for (let j = 0; j < size; j++) sums[i * size + j]! += rows[r * size + i]! * rows[r * size + j]!;
        },
        finish: async () => lie(sums),
      };
    },
  };
}

async function summed(
  kernel: GramKernel,
  records: readonly [number, number[]][],
  { bound = limit, rowsAtMost = 1000 } = {},
): Promise<BigUint64Array> {
  let state = 1;
  const random = () => {
    state = (state * 48271) % 0x7fffffff;
    return state & 0xffff;
  };
  const sums = new GramSums({ kernel, order, parts: 2, limit: bound, rowsAtMost, random });
  for (const [part, record] of records) await sums.add(part, Int32Array.from(record));
  const out = new BigUint64Array(12);
  await sums.writeTo(out, 4);
  return out;
}

function plain(records: readonly [number, number[]][]): BigUint64Array {
  const out = new BigUint64Array(12);
  for (const [part, record] of records) {
    let at = 6 * part;
    for (let i = 0; i < order; i++)
      for (let j = i; j < order; j++, at++)
        out[at] = out[at]! + BigInt.asUintN(64, 4n * BigInt(record[i]! * record[j]!));
  }
  return out;
}
