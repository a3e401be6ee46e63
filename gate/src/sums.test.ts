import { describe, expect, it } from "vitest";
import { ExactSums } from "./sums.js";

describe("ExactSums", () => {
  it("adds integers exactly beyond 2^53, where doubles would not", () => {
    const most = 2 ** 51 + 1;
    const sums = new ExactSums(2, most);
    for (let i = 0; i < 1001; i++) {
      sums.open[0] = sums.open[0]! + most;
      sums.open[1] = sums.open[1]! - most;
      sums.added(1);
    }
    const vector = new BigUint64Array(2);
    sums.addTo(vector, 2);
    const expected = 2n * 1001n * BigInt(most);
    expect([...vector]).toEqual([expected, -expected].map((value) => BigInt.asUintN(64, value)));
    let inDoubles = 0;
    for (let i = 0; i < 1001; i++) inDoubles += most;
    expect(BigInt(inDoubles)).not.toBe(expected / 2n);
  });

  it("refuses more than is exact", () => {
    const sums = new ExactSums(1, 2 ** 52);
    expect(sums.room).toBe(1);
    sums.added(1);
    expect(() => sums.added(2)).toThrow(RangeError);
  });
});
