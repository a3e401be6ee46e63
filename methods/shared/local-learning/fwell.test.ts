import fc from "fast-check";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { fwellWeights, type Margins, objectiveAt } from "./fwell.js";

const margins = (rows: readonly (readonly number[])[], counts: readonly number[] | null = null): Margins => ({
  rows: rows.length,
  features: rows[0]!.length,
  values: Float64Array.from(rows.flat()),
  counts: counts === null ? null : Uint32Array.from(counts),
});

function drawn(rows: number, features: number, seed: string): Margins {
  const uniform = seedrandom(seed);
  return {
    rows,
    features,
    values: Float64Array.from({ length: rows * features }, () => 2 * uniform() - 0.8),
    counts: Uint32Array.from({ length: rows }, () => 1 + Math.floor(3 * uniform())),
  };
}

const norm = (values: Float64Array) => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));

describe.each(["newton", "lbfgs"] as const)("FWELL's weights by %s", (solver) => {
  it("has its closed forms in one dimension: sigm(-w z) z = 2 λ w", () => {
    const ones = margins([[1], [1], [1]]);
    expect(fwellWeights(ones, 0.01, solver)[0]).toBeCloseTo(2.8179891, 7);
    expect(fwellWeights(ones, 0.1, solver)[0]).toBeCloseTo(1.1775053, 7);
    expect(fwellWeights(margins([[0.6]]), 0.01, solver)[0]).toBeCloseTo(3.4184071, 7);
  });

  it("ends with a gradient of at most 1e-10, within the bound that λ gives", () => {
    for (const [rows, features] of [
      [40, 3],
      [25, 60],
      [1, 7],
      [300, 30],
    ] as const) {
      const sample = drawn(rows, features, `${rows}`);
      for (const lambda of [1e-4, 0.01, 10]) {
        const weights = fwellWeights(sample, lambda, solver);
        expect(norm(objectiveAt(sample, lambda, weights).gradient)).toBeLessThanOrEqual(1e-10);
        expect(Math.max(...weights.map(Math.abs))).toBeLessThanOrEqual(1.2 / (2 * lambda));
      }
    }
  });

  it("counts a record as often as it is in the sample", () => {
    const rows = [
      [0.3, -0.2],
      [0.5, 0.1],
      [-0.4, 0.9],
    ] as const;
    const repeated = margins([rows[0], rows[0], rows[0], rows[1], rows[2], rows[2]]);
    const counted = margins(rows, [3, 1, 2]);
    const [a, b] = [fwellWeights(repeated, 0.01, solver), fwellWeights(counted, 0.01, solver)];
    for (const j of [0, 1]) expect(a[j]).toBeCloseTo(b[j]!, 8);
  });

  it("is zero without records, and where all margins are zero", () => {
    expect([
      ...fwellWeights({ rows: 0, features: 2, values: new Float64Array(), counts: null }, 1, solver),
    ]).toEqual([0, 0]);
    expect([...fwellWeights(margins([[0, 0]]), 0.01, solver)]).toEqual([0, 0]);
  });
});

it("both ways come to the same weights", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 12 }),
      fc.string(),
      (n, d, seed) => {
        const sample = drawn(n, d, seed);
        const newton = fwellWeights(sample, 0.01, "newton");
        fwellWeights(sample, 0.01, "lbfgs").forEach((weight, j) => {
          expect(Math.abs(weight - newton[j]!)).toBeLessThan(2e-8);
        });
      },
    ),
    { numRuns: 50 },
  );
});

it("the gradient is the objective's: central differences agree", () => {
  const sample = drawn(20, 4, "differences");
  const weights = Float64Array.of(0.4, -1.3, 2, 0);
  const { gradient } = objectiveAt(sample, 0.05, weights);
  for (let j = 0; j < 4; j++) {
    const moved = (by: number) => {
      const at = weights.slice();
      at[j] = at[j]! + by;
      return objectiveAt(sample, 0.05, at).value;
    };
    expect((moved(1e-5) - moved(-1e-5)) / 2e-5).toBeCloseTo(gradient[j]!, 8);
  }
});
