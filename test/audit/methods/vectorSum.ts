import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { quantiseRecord, squaredNormLimitFor } from "@consilium/core/privacy/quantise";
import { eventOf, shareVarianceFor } from "@consilium/core/privacy/shareVariance";
import type { StageNoise } from "@consilium/core/study/plan";
import { gridExponentFor } from "@consilium/core/testing/privacy/gridExponent";
import type { Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/**
 * The layer that every sound variant stands on, by itself: records clipped to a ball, quantised one by one, summed,
 * with distributed noise. Beside it the same with the mistakes that are made in such layers.
 */

const claim = { epsilon: 1, delta: 1e-5, relation: "add-remove" } as const;
const clippingNorm = 1;
const sites = 5;
const noiseShares = 4;

/** A grid of values around and beyond the ball: some on it, some inside, some to be clipped. */
const levels = [-1, -0.6, 0, 0.28, 0.8];
const points = levels.flatMap((x) => levels.map((y): readonly [number, number] => [x, y]));

/** Noise for integer vectors of two entries with Σ q² ≤ limit. */
function noiseFor(limit: number): StageNoise {
  const sum = { l2SensitivitySquared: limit, groups: [{ entries: 2, weight: 1 }], sites, noiseShares };
  const rho = rhoFromEpsilon(claim);
  return { event: eventOf(sum, shareVarianceFor({ ...sum, rho })), weights: { kind: "uniform" } };
}

type Point = readonly [number, number];

function clipped([x, y]: Point): Point {
  const factor = Math.min(1, clippingNorm / Math.hypot(x, y));
  return Number.isFinite(factor) ? [x * factor, y * factor] : [0, 0];
}

function quantised(point: Point, gridExponent: number, squaredNormLimit: number): Float64Array {
  const out = new Float64Array(2);
  quantiseRecord({ values: Float64Array.from(point), gridExponent, squaredNormLimit, out });
  return out;
}

function summed(vectors: readonly ArrayLike<number>[]): Integers {
  const sum = new BigInt64Array(2);
  for (const vector of vectors) for (let j = 0; j < 2; j++) sum[j]! += BigInt(vector[j]!);
  return sum;
}

function mechanismOf(
  gridExponent: number,
  vector: (table: readonly Point[], limit: number) => Integers,
  attained = false,
): SumMechanism {
  const limit = squaredNormLimitFor({ l2SensitivitySquared: clippingNorm ** 2, gridExponent });
  return {
    records: points.length,
    tableRecords: 3,
    stages: [
      {
        id: "sum",
        vector: async (table) =>
          vector(
            table.map((record) => points[record]!),
            limit,
          ),
        noise: noiseFor(limit),
        attained,
      },
    ],
  };
}

const grid = gridExponentFor({
  rho: rhoFromEpsilon(claim),
  l2SensitivitySquared: clippingNorm ** 2,
  noiseShares,
  maxRecords: 1000,
  weights: [1],
});

export const vectorSum: SoundMethod = {
  kind: "sound",
  name: "vector sum",
  claim,
  // Attained by the records on an axis: (±1, 0) is exactly representable.
  mechanism: mechanismOf(
    grid,
    (table, limit) => summed(table.map((point) => quantised(clipped(point), grid, limit))),
    true,
  ),
};

/** So coarse that a wrong rounding shows. */
const coarse = 3;
const scaled = (value: number) => value * 2 ** coarse;

export const vectorSumMutations: readonly Mutation[] = [
  {
    kind: "mutation",
    name: "vector sum: the site's sum rounded instead of each record",
    mechanism: mechanismOf(coarse, (table) => {
      const total = table.map(clipped).reduce<Point>((a, b) => [a[0] + b[0], a[1] + b[1]], [0, 0]);
      return summed([total.map((value) => Math.round(scaled(value)))]);
    }),
  },
  {
    kind: "mutation",
    name: "vector sum: records rounded to nearest instead of toward zero",
    mechanism: mechanismOf(coarse, (table) =>
      summed(table.map((point) => clipped(point).map((value) => Math.round(scaled(value))))),
    ),
  },
  {
    kind: "mutation",
    name: "vector sum: records not clipped",
    mechanism: mechanismOf(coarse, (table) =>
      summed(table.map((point) => point.map((value) => Math.trunc(scaled(value))))),
    ),
  },
  {
    kind: "mutation",
    name: "vector sum: columns scaled by the table's own range",
    mechanism: mechanismOf(coarse, (table, limit) => {
      const range = (j: 0 | 1) => {
        const values = table.map((point) => point[j]);
        return { low: Math.min(...values), width: Math.max(...values) - Math.min(...values) || 1 };
      };
      const [first, second] = [range(0), range(1)];
      const unit = (point: Point): Point => [
        (point[0] - first.low) / first.width,
        (point[1] - second.low) / second.width,
      ];
      return summed(table.map((point) => quantised(clipped(unit(point)), coarse, limit)));
    }),
  },
  {
    kind: "mutation",
    name: "vector sum: records divided by the table's longest",
    mechanism: mechanismOf(coarse, (table, limit) => {
      const longest = Math.max(...table.map((point) => Math.hypot(...point))) || 1;
      const shortened = ([x, y]: Point): Point => [x / longest, y / longest];
      return summed(table.map((point) => quantised(shortened(point), coarse, limit)));
    }),
  },
];
