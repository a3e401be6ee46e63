import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { epsilonFromRho } from "./conversions.js";
import { type NoisyEntries, pldAccountant } from "./pld.js";

/** A sum of discrete Gaussians, entry by entry from -reach to reach, by plain convolution. */
function sumOfShares(shareVariance: number, shares: number): Float64Array {
  const reach = Math.ceil(9 * Math.sqrt(shareVariance)) + 1;
  const one = Float64Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-((i - reach) ** 2) / (2 * shareVariance)),
  );
  const total = one.reduce((sum, mass) => sum + mass);
  const share = one.map((mass) => mass / total);
  let sum = share;
  for (let j = 1; j < shares; j++) {
    const next = new Float64Array(sum.length + share.length - 1);
    sum.forEach((a, x) => {
      share.forEach((b, y) => {
        next[x + y]! += a * b;
      });
    });
    sum = next;
  }
  return sum;
}

/** [loss, mass] of noise against the same shifted by `shift`; what the other cannot have is an infinite loss. */
function losses(noise: Float64Array, shift: number): [number, number][] {
  return [...noise].map((mass, x) => [Math.log(mass / (noise[x + shift] ?? 0)), mass]);
}

/** δ of the composition, by listing every outcome of all entries. */
function bruteDelta(
  entries: readonly [number, number][][],
  epsilon: number,
  loss = 0,
  mass = 1,
  at = 0,
): number {
  if (at === entries.length) return mass * Math.max(0, 1 - Math.exp(epsilon - loss));
  let sum = 0;
  for (const [own, part] of entries[at]!) {
    if (mass * part > 1e-17) sum += bruteDelta(entries, epsilon, loss + own, mass * part, at + 1);
  }
  return sum;
}

/** Reproducible numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const entriesOf = (variance: number, most: number, count: number): NoisyEntries => ({
  shift: { most, shareVariance: variance, noiseShares: 1 },
  count,
});

describe("loss distributions of single entries, against exact sums of shares", () => {
  it("bounds δ from above, and by little, in thousands of small cases", () => {
    const next = generator(7);
    let compared = 0;
    for (let i = 0; i < 1500; i++) {
      const noiseShares = 1 + Math.floor(next() * 5);
      const shareVariance = 4 + next() * (i % 3 === 0 ? 40 : 6);
      const most = 1 + Math.floor(next() * 3);
      const kinds = losses(sumOfShares(shareVariance, noiseShares), most);
      const ours = pldAccountant([{ shift: { most, shareVariance, noiseShares }, count: 1 }]);
      for (const epsilon of [0, next() * 0.5, 0.3 + next(), 1 + 2 * next()]) {
        const truth = bruteDelta([kinds], epsilon);
        const bound = ours.delta(epsilon);
        expect(bound).toBeGreaterThanOrEqual(truth * (1 - 1e-11) - 1e-15);
        expect(bound).toBeLessThanOrEqual(truth * 1.02 + 1e-9);
        compared++;
      }
    }
    expect(compared).toBe(6000);
  });

  it("and of two or three entries with noise of their own", () => {
    const next = generator(11);
    for (let i = 0; i < 60; i++) {
      const parts = Array.from({ length: 2 + (i % 10 === 0 ? 1 : 0) }, () => ({
        shift: {
          most: 1 + Math.floor(next() * 2),
          shareVariance: 4 + next() * (i % 10 === 0 ? 1 : 12),
          noiseShares: 1 + (i % 10 === 0 ? 0 : Math.floor(next() * 3)),
        },
        count: 1,
      }));
      const kinds = parts.map(({ shift }) =>
        losses(sumOfShares(shift.shareVariance, shift.noiseShares), shift.most),
      );
      const ours = pldAccountant(parts);
      const epsilon = next() * 3;
      const truth = bruteDelta(kinds, epsilon);
      expect(ours.delta(epsilon)).toBeGreaterThanOrEqual(truth * (1 - 1e-9) - 1e-13);
      expect(ours.delta(epsilon)).toBeLessThanOrEqual(truth * 1.03 + 1e-9);
      const delta = 1e-4;
      expect(bruteDelta(kinds, ours.epsilon(delta))).toBeLessThanOrEqual(delta);
    }
  });

  it("bounds it for shares that are too coarse for the sum to be nearly a discrete Gaussian", () => {
    const next = generator(13);
    for (let i = 0; i < 300; i++) {
      const noiseShares = 1 + Math.floor(next() * 6);
      const shareVariance = 0.25 + next() * 3;
      const kinds = losses(sumOfShares(shareVariance, noiseShares), 1);
      const ours = pldAccountant([{ shift: { most: 1, shareVariance, noiseShares }, count: 1 }]);
      for (const epsilon of [0, 0.3, 1, 3]) {
        expect(ours.delta(epsilon)).toBeGreaterThanOrEqual(
          bruteDelta([kinds], epsilon) * (1 - 1e-11) - 1e-15,
        );
      }
    }
  });

  it("would be caught below the truth: the comparison notices a shift that is one too small", () => {
    const kinds = losses(sumOfShares(9, 2), 2);
    const weak = pldAccountant([{ shift: { most: 1, shareVariance: 9, noiseShares: 2 }, count: 1 }]);
    expect(weak.delta(0.5)).toBeLessThan(bruteDelta([kinds], 0.5));
  });
});

describe("the dominating pair", () => {
  it("is the largest shift: every smaller one, either way, has less δ at every ε", () => {
    for (const [variance, shares] of [
      [0.3, 3],
      [1, 2],
      [4, 4],
    ] as const) {
      const noise = sumOfShares(variance, shares);
      for (const epsilon of [0, 0.1, 0.7, 2]) {
        const deltas = [1, 2, 3, 4].map((shift) => bruteDelta([losses(noise, shift)], epsilon));
        const back = [1, 2, 3, 4].map((shift) =>
          bruteDelta([losses(noise.slice().reverse(), shift)], epsilon),
        );
        expect(deltas).toEqual([...deltas].sort((a, b) => a - b));
        for (const [i, delta] of back.entries()) expect(delta).toBeCloseTo(deltas[i]!, 12);
      }
    }
  });

  it("needs noise without gaps: that of even numbers hides a shift by 2 better than one by 1", () => {
    const noise = sumOfShares(4, 2).map((mass, x) => (x % 2 === 0 ? mass : mass * 1e-6));
    const deltas = [1, 2].map((shift) => bruteDelta([losses(noise, shift)], 1));
    expect(deltas[0]).toBeGreaterThan(deltas[1]!);
  });

  it("depends on a contribution's direction and not on its length alone", () => {
    // One entry changed by 3, or nine by 1: the same Δ², coarse noise.
    const along = pldAccountant([entriesOf(4, 3, 1)]).epsilon(1e-5);
    const across = pldAccountant([entriesOf(4, 1, 9)]).epsilon(1e-5);
    expect(Math.abs(along - across)).toBeGreaterThan(0.001);
  });
});

describe("composition", () => {
  const { compositions } = JSON.parse(
    readFileSync(new URL("../../testing/privacy/testVectors/v1/pld.json", import.meta.url), "utf8"),
  ) as {
    compositions: {
      entries: { variance: number; most: number; count: number }[];
      epsilon: { delta: number; least: number; most: number }[];
      delta: { epsilon: number; least: number; most: number }[];
    }[];
  };

  it.each(compositions)(
    "of $entries agrees with an independent accountant",
    ({ entries, epsilon, delta }) => {
      const ours = pldAccountant(entries.map((one) => entriesOf(one.variance, one.most, one.count)));
      for (const row of epsilon) {
        expect(ours.epsilon(row.delta)).toBeGreaterThanOrEqual(row.least);
        expect(ours.epsilon(row.delta)).toBeLessThanOrEqual(row.most * 1.002 + 2e-6);
      }
      for (const row of delta) {
        expect(ours.delta(row.epsilon)).toBeGreaterThanOrEqual(row.least * (1 - 1e-9) - 1e-12);
        expect(ours.delta(row.epsilon)).toBeLessThanOrEqual(row.most * 1.02 + 1e-10);
      }
    },
  );

  it("is below zCDP's ε by 7 to 9 % at what studies ask, and never above it", () => {
    for (const [rho, from, to] of [
      [0.0216, 0.9, 0.93],
      [0.2735, 0.915, 0.94],
    ] as const) {
      for (const count of [25, 400]) {
        const variance = count / (2 * rho);
        const exact = pldAccountant([entriesOf(variance, 1, count)]).epsilon(1e-5);
        const ratio = exact / epsilonFromRho({ rho, delta: 1e-5 });
        expect(ratio).toBeGreaterThan(from);
        expect(ratio).toBeLessThan(to);
      }
    }
  });

  it("counts one kind given twice as one of both counts, in any order", () => {
    const a = entriesOf(40, 1, 12);
    const b = entriesOf(300, 4, 7);
    const whole = pldAccountant([entriesOf(40, 1, 24), b]).epsilon(1e-6);
    expect(pldAccountant([a, b, a]).epsilon(1e-6)).toBe(whole);
    expect(pldAccountant([b, a, a]).epsilon(1e-6)).toBe(whole);
  });

  it("grows with every entry and every shift, and falls with noise, shares and δ", () => {
    const next = generator(17);
    for (let i = 0; i < 25; i++) {
      const variance = 10 + next() * 400;
      const most = 1 + Math.floor(next() * 8);
      const count = 1 + Math.floor(next() * 60);
      const epsilon = pldAccountant([entriesOf(variance, most, count)]).epsilon(1e-6);
      expect(
        pldAccountant([entriesOf(variance, most, count), entriesOf(variance, 1, 1)]).epsilon(1e-6),
      ).toBeGreaterThan(epsilon);
      expect(pldAccountant([entriesOf(variance, most + 1, count)]).epsilon(1e-6)).toBeGreaterThan(epsilon);
      expect(pldAccountant([entriesOf(variance * 1.1, most, count)]).epsilon(1e-6)).toBeLessThan(epsilon);
      expect(pldAccountant([entriesOf(variance, most, count)]).epsilon(1e-5)).toBeLessThan(epsilon);
    }
  });

  it("gives δ at its own ε back", () => {
    const accountant = pldAccountant([entriesOf(700, 2, 30), entriesOf(50, 1, 1)]);
    for (const delta of [1e-3, 1e-5, 1e-8, 1e-11]) {
      expect(accountant.delta(accountant.epsilon(delta))).toBeLessThanOrEqual(delta * (1 + 1e-9));
      expect(accountant.delta(accountant.epsilon(delta) * 0.999)).toBeGreaterThan(delta);
    }
  });
});

describe("its limits", () => {
  it("says 0 of nothing, of δ = 1, and where δ covers all of it", () => {
    expect(pldAccountant([]).epsilon(1e-5)).toBe(0);
    const accountant = pldAccountant([entriesOf(100, 1, 1)]);
    expect(accountant.epsilon(1)).toBe(0);
    expect(accountant.epsilon(0.9)).toBe(0);
    expect(accountant.epsilon(1e-5)).toBeGreaterThan(0);
  });

  it("says Infinity below what it resolves", () => {
    expect(pldAccountant([entriesOf(100, 1, 1)]).epsilon(1e-40)).toBe(Number.POSITIVE_INFINITY);
    expect(pldAccountant([entriesOf(100, 1, 1)]).delta(1e6)).toBeLessThan(1e-17);
  });

  it("refuses what is no shift, and losses too wide for a figure", () => {
    expect(() => pldAccountant([entriesOf(0.2, 1, 1)])).toThrow(RangeError);
    expect(() => pldAccountant([entriesOf(4, 0, 1)])).toThrow(RangeError);
    expect(() => pldAccountant([entriesOf(4, 1, 0)])).toThrow(RangeError);
    expect(() => pldAccountant([entriesOf(4, 1, 2 ** 21)])).toThrow(RangeError);
    expect(() => pldAccountant([entriesOf(4, 1, 2 ** 19)])).toThrow(RangeError);
    expect(pldAccountant([entriesOf(4, 1, 100)]).epsilon(1e-5)).toBeGreaterThan(20);
  });

  it("takes noise of millions of units in blocks, with the same ε to a thousandth", () => {
    const fine = pldAccountant([entriesOf(4000 ** 2, 1000, 20)]).epsilon(1e-5);
    const coarse = pldAccountant([entriesOf(4e6 ** 2, 1e6, 20)]).epsilon(1e-5);
    expect(coarse).toBeGreaterThan(fine * (1 - 1e-5));
    expect(coarse).toBeLessThan(fine * 1.001);
  });

  it("computes a large plan in well under a second", () => {
    const parts = Array.from({ length: 8 }, (_, i) => entriesOf(3e5 * (1 + i), 16, 300));
    const from = performance.now();
    expect(pldAccountant(parts).epsilon(1e-5)).toBeGreaterThan(0);
    // Alone it takes a fifth of a second; the machines of tests are busy.
    expect(performance.now() - from).toBeLessThan(5000);
  });

  it("uses nothing that engines compute each in its own way", () => {
    const parts = [entriesOf(500, 2, 40), entriesOf(30, 1, 1)];
    const expected = pldAccountant(parts).epsilon(1e-5);
    const math = Math as unknown as Record<string, unknown>;
    const names = ["exp", "expm1", "log", "log1p", "log2", "pow", "sin", "cos"];
    const own = names.map((name) => math[name]);
    try {
      for (const name of names) {
        math[name] = () => {
          throw new Error(name);
        };
      }
      expect(pldAccountant(parts).epsilon(1e-5)).toBe(expected);
    } finally {
      for (const [i, name] of names.entries()) math[name] = own[i];
    }
  });
});
