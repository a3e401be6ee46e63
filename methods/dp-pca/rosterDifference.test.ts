import { signedNumbers } from "@consilium/core/learning/exactSums";
import { simulateSums, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { zcdpAccountant } from "@consilium/core/privacy/zcdp";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy, type SumStage } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { blockOf, testRows, testStudy } from "../testing/histBoost/study.js";
import { histBoostVector } from "../testing/vectors.js";

/**
 * An operator runs the same study with a hospital and without it, and subtracts. All other sites are its own: it knows
 * what they add but for the noise of the honest ones.
 */
const kernels = plainKernels();
const tables = ["victim", "b", "c", "d"].map((seed) => [blockOf(testRows(60, seed))]);

async function firstSum(
  study: ReturnType<typeof testStudy>,
  of: readonly (readonly ColumnBlock[])[],
  seed: string,
): Promise<{ sum: Float64Array; stage: SumStage }> {
  const stage = planStudy(study).stages[0] as SumStage;
  const plan = { ...planStudy(study), stages: [stage] };
  const sum = await simulateSums({
    plan,
    tables: of,
    kernels,
    random: seededRandom(seed),
    vector: (id, input) => histBoostVector(study, id, input),
    run: (conversation) => conversation.sum(stage.id, {}),
  });
  return { sum: signedNumbers(sum), stage };
}

async function exact(
  study: ReturnType<typeof testStudy>,
  table: readonly ColumnBlock[],
): Promise<Float64Array> {
  const stage = planStudy(study).stages[0]!;
  const random = seededRandom("a site");
  const input = { broadcasts: new Map(), blocks: streamed(table), kernels, random };
  return signedNumbers(await histBoostVector(study, stage.id, input));
}

/** Their difference, less what the sites add that the two sums do not share. */
async function difference(study: ReturnType<typeof testStudy>) {
  const [victim, b, c, d] = tables as [ColumnBlock[], ColumnBlock[], ColumnBlock[], ColumnBlock[]];
  const withVictim = await firstSum(study, [victim, b, c], "with");
  const without = await firstSum(study, [b, c, d], "without");
  const known = await exact(study, d);
  const found = withVictim.sum.map((value, j) => value - without.sum[j]! + known[j]!);
  return { found, own: await exact(study, victim), stage: withVictim.stage };
}

describe("two sums that differ by one hospital", () => {
  it("differ by its vector under the noise of both, and the hospital is charged for its part", async () => {
    const study = testStudy({ trees: 1, depth: 1, bins: 64 }, { privacy: { epsilon: 1, delta: 1e-5 } });
    const { found, own, stage } = await difference(study);
    const { event } = stage.noise!;
    const errors = found.map((value, j) => value - own[j]!);
    const measured = errors.reduce((sum, error) => sum + error * error, 0) / errors.length;
    // Six shares in all; the mean square of n normal draws is off by a factor of 1 ± 6·√(2/n) once in 5e8 runs.
    const expected = 6 * event.shareVariance;
    expect(Math.abs(measured / expected - 1)).toBeLessThan(6 * Math.sqrt(2 / errors.length));
    // No less than the noise of one sum: subtracting takes none of it away.
    expect(measured).toBeGreaterThan(event.noiseShares * event.shareVariance);
    const once = zcdpAccountant({ neighbouringRelation: "add-remove" });
    once.compose(event);
    expect(once.rho()).toBeGreaterThan(0);
    expect(once.rho()).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  it("would be its vector, exactly, without noise", async () => {
    const { found, own } = await difference(testStudy({ trees: 1, depth: 1, bins: 64 }, { privacy: "none" }));
    expect(found).toEqual(own);
    expect(own.some((value) => value !== 0)).toBe(true);
  });
});
