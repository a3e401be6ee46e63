import type { StageNoise } from "@consilium/core/study/plan";
import { gaussianStdDev } from "@consilium/core/testing/privacy/analyticGaussian";
import type { SumMechanism } from "./auditedMethod.js";
import { measureEpsilon, sampleFixed } from "./epsilon.js";
import { seededRandom } from "./statistics.js";

/**
 * What such an experiment can see: one number with Gaussian noise made for ε = 1 and δ = 1e-5 exactly [BW18], and the
 * same with less noise. A method whose noise is half of what it should be is caught; one whose noise is at 0.7 of it
 * only just.
 */
export interface PowerRow {
  /** The noise's standard deviation, as a part of what it should be. */
  readonly stdDev: "σ" | "σ/√2" | "σ/2" | "σ/4";
  readonly epsilonAtLeast: number;
  /** Of an earlier, independent program with as many runs. */
  readonly expected: number;
}

const rows = [
  { stdDev: "σ", factor: 1, expected: 0.56 },
  { stdDev: "σ/√2", factor: Math.SQRT1_2, expected: 1.05 },
  { stdDev: "σ/2", factor: 0.5, expected: 1.65 },
  { stdDev: "σ/4", factor: 0.25, expected: 3.24 },
] as const;

const [epsilon, delta] = [1, 1e-5];

/** One record that adds 2^20 to one number. */
function scalar(): SumMechanism {
  const unit = 2 ** 20;
  const stdDev = gaussianStdDev({ epsilon, delta, l2Sensitivity: 1 }) * unit;
  const noise: StageNoise = {
    event: {
      kind: "distributed-discrete-gaussian",
      l2SensitivitySquared: unit ** 2,
      shareVariance: stdDev ** 2,
      groups: [{ entries: 1, weight: 1 }],
      sites: 2,
      noiseShares: 1,
    },
    weights: { kind: "uniform" },
  };
  const vector = async (table: readonly number[]) => BigInt64Array.of(BigInt(table.length * unit));
  return { records: 1, tableRecords: 1, stages: [{ id: "sum", vector, noise, attained: true }] };
}

/** @param runs - per table; the expected values are those of 10^6 */
export async function powerTable(runs: number, seed: string): Promise<PowerRow[]> {
  const mechanism = scalar();
  const table: PowerRow[] = [];
  for (const { stdDev, factor, expected } of rows) {
    const sample = (on: "smaller" | "larger") =>
      sampleFixed({
        mechanism,
        pair: { smaller: [], larger: [0] },
        on,
        runs,
        stdDevFactor: factor,
        published: [],
        random: seededRandom(`${seed} power ${stdDev} ${on}`),
      });
    const found = measureEpsilon(await sample("smaller"), await sample("larger"), delta);
    table.push({ stdDev, epsilonAtLeast: found.epsilonAtLeast, expected });
  }
  return table;
}
