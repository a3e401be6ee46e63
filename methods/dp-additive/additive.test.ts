import { heldOutRows } from "@consilium/core/learning/heldOut";
import { outputsOf } from "@consilium/core/learning/trees/tree";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { ColumnBlock } from "@consilium/core/study/design";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binOf } from "../shared/columns/binning.js";
import { simulateAdditive } from "../testing/additive/simulate.js";
import { additiveTestStudy } from "../testing/additive/study.js";
import { blockOf, type TestRow, testRows } from "../testing/histBoost/study.js";
import type { AdditiveResult } from "./conversation.js";
import { releasedCurves } from "./model.js";
import { type AdditiveStudy, additiveLayout } from "./study.js";

const kernels = plainKernels();
const random = seededRandom("additive");
const grid = (value: number) => Math.round(value * 2 ** 24) / 2 ** 24;
const clipped = (value: number) => Math.min(3, Math.max(-3, value));

/** Additive boosting without noise, over all rows at once, as the text has it and without a histogram. */
function naive(study: AdditiveStudy, rows: readonly TestRow[]): { intercept: number; curves: number[][] } {
  const { features } = additiveLayout(study);
  const { epochs, lambda } = study.parameters;
  const bins = rows.map(({ values }) => features.map((feature, f) => binOf(feature, values[f]!)));
  const positives = rows.filter(({ label }) => label === 1).length;
  let intercept = grid(Math.log((positives + 1) / (rows.length - positives + 1)));
  let curves = features.map((feature) => new Array<number>(feature.bins).fill(0));
  let rate = study.parameters.learningRate ?? 1 / Math.sqrt(features.length);
  let last: { intercept: number; curves: number[][]; d0: number; steps: number[][]; slope: number } | null =
    null;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const pairs = rows.map(({ label }, r) => {
      const margin = bins[r]!.reduce((sum, b, f) => sum + curves[f]![b]!, intercept);
      const p = 1 / (1 + Math.exp(-margin));
      if (epoch === 0) return [p - label, p * (1 - p)];
      return [p - label, p * (1 - p)].map((value) => Math.trunc(value * 2 ** 20) / 2 ** 20);
    });
    const sum = (channel: number, inside: (row: number) => boolean) =>
      pairs.reduce((all, pair, r) => (inside(r) ? all + pair[channel]! : all), 0);
    const [g, h] = [0, 1].map((channel) =>
      features.map((feature, f) =>
        Array.from({ length: feature.bins }, (_, b) => sum(channel, (r) => bins[r]![f] === b)),
      ),
    );
    const slopeNow =
      last === null
        ? 0
        : sum(0, () => true) * last.d0 +
          last.steps.reduce(
            (all, own, f) => all + own.reduce((some, step, b) => some + step * g![f]![b]!, 0),
            0,
          );
    if (last !== null && last.slope < 0 && slopeNow > -last.slope) {
      const part: number = last.slope / (last.slope - slopeNow);
      const { steps, curves: before } = last;
      curves = before.map((own, f) => own.map((value, b) => grid(value + part * steps[f]![b]!)));
      intercept = grid(last.intercept + part * last.d0);
      rate *= part;
      last = null;
      continue;
    }
    const d0: number = epoch === 0 ? 0 : clipped(-sum(0, () => true) / sum(1, () => true));
    const steps = features.map((_, f) => {
      const own = g![f]!.map((gradient, b) => {
        const hessian = h![f]![b]!;
        return hessian === 0
          ? 0
          : clipped((-(gradient + hessian * d0) * hessian) / (hessian ** 2 + lambda * hessian));
      });
      const all = h![f]!.reduce((some, one) => some + one, 0);
      const mean = own.reduce((some, step, b) => some + (step * h![f]![b]!) / all, 0);
      return own.map((step, b) => (h![f]![b] === 0 ? 0 : rate * (step - mean)));
    });
    const slope: number =
      sum(0, () => true) * d0 +
      steps.reduce((all, own, f) => all + own.reduce((some, step, b) => some + step * g![f]![b]!, 0), 0);
    last = { intercept, curves, d0, steps, slope };
    curves = curves.map((own, f) => own.map((value, b) => grid(value + steps[f]![b]!)));
    intercept = grid(intercept + d0);
  }
  curves = curves.map((own, f) => {
    const mean = own.reduce((all, value, b) => {
      const inside = bins.filter((places) => places[f] === b).length;
      return all + (value * inside) / rows.length;
    }, 0);
    intercept += grid(mean);
    return own.map((value) => value - grid(mean));
  });
  return { intercept, curves };
}

/** Rows dealt out to sites as `places` says. */
const dealt = (rows: readonly TestRow[], sites: number, places: readonly number[]): ColumnBlock[][] =>
  Array.from({ length: sites }, (_, site) => {
    const own = rows.filter((_, r) => places[r % places.length]! % sites === site);
    const middle = Math.floor(own.length / 2);
    return [blockOf(own.slice(0, middle)), blockOf(own.slice(middle))];
  });

function apart(study: AdditiveStudy, { curves }: Pick<AdditiveResult, "curves">) {
  const { offsets, features } = additiveLayout(study);
  return {
    intercept: curves.intercept,
    curves: features.map((_, f) => Array.from(curves.values.subarray(offsets[f]!, offsets[f + 1]!))),
  };
}

describe("additive boosting without noise", () => {
  it("comes to the curves of an independent program over all rows, however they are dealt out", async () => {
    const study = additiveTestStudy({ epochs: 5 });
    const rows = testRows(150);
    const expected = naive(study, rows);
    expect(expected.curves.flat().filter((value) => Math.abs(value) > 0.2).length).toBeGreaterThan(5);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 3, max: 20 }),
        fc.array(fc.nat(1000), { minLength: 1, maxLength: 150 }),
        async (sites, places) => {
          const result = await simulateAdditive({
            study,
            tables: dealt(rows, sites, places),
            kernels,
            random,
          });
          expect(apart(study, result)).toEqual(expected);
        },
      ),
      { numRuns: 8 },
    );
  });

  it("takes back what overshot, as the same program does", async () => {
    const name = (f: number) => ({ name: `f${f}`, type: "numeric", min: 0, max: 8, edges: [2, 4, 6] });
    // One column many times: an update at once of all is as many times too long.
    const features = Array.from({ length: 25 }, (_, f) => name(f));
    const study = additiveTestStudy({ epochs: 8 }, { features });
    const rows = testRows(200).map(({ values, label }) => ({
      values: features.map(() => values[0]!),
      label,
    }));
    const block: ColumnBlock = {
      rows: rows.length,
      columns: features.map(() => Float64Array.from(rows, ({ values }) => values[0]!)),
      labels: Uint16Array.from(rows, ({ label }) => label),
    };
    const result = await simulateAdditive({ study, tables: [[block]], kernels, random });
    expect(apart(study, result)).toEqual(naive(study, rows));
    expect(result.rate).toBeLessThan(0.1);
    const lossOf = ({ curves }: AdditiveResult) =>
      rows.reduce((sum, { values, label }) => {
        const { features: binned, offsets } = additiveLayout(study);
        const margin = binned.reduce(
          (all, feature, f) => all + curves.values[offsets[f]! + binOf(feature, values[f]!)]!,
          curves.intercept,
        );
        return sum + Math.log1p(Math.exp(label === 1 ? -margin : margin));
      }, 0);
    const shorter = additiveTestStudy({ epochs: 8, learningRate: 0.04 }, { features });
    const steady = await simulateAdditive({ study: shorter, tables: [[block]], kernels, random });
    expect(lossOf(result)).toBeLessThan(1.02 * lossOf(steady));
  });

  it("trains on the rows that are not held out, and evaluates on the others", async () => {
    const study = additiveTestStudy({ evaluation: { heldOut: 0.3 } });
    const rows = testRows(300);
    const held = heldOutRows(blockOf(rows), 0.3, study.parameters.seed);
    const result = await simulateAdditive({ study, tables: dealt(rows, 4, [0, 1, 2, 3]), kernels, random });
    const trained = rows.filter((_, r) => held[r] === 0);
    expect(apart(study, result)).toEqual(naive(study, trained));
    expect(result.evaluation!.rows).toBe(held.reduce((sum, one) => sum + one, 0));
    expect(result.evaluation!.accuracy.value).toBeGreaterThan(result.evaluation!.majority.value);
    const positives = trained.filter(({ label }) => label === 1).length;
    expect(result.counts.classes.map(Math.round)).toEqual([trained.length - positives, positives]);
  });

  it("has trees that say exactly what its curves say, and curves whose mean over the rows is 0", async () => {
    const study = additiveTestStudy();
    const rows = testRows(200);
    const { ensemble, curves, counts } = await simulateAdditive({
      study,
      tables: dealt(rows, 3, [0, 1, 2]),
      kernels,
      random,
    });
    const { features, offsets } = additiveLayout(study);
    const kinds = features.map(({ kind }) => kind);
    for (const { values } of rows) {
      const bins = features.map((feature, f) => binOf(feature, values[f]!));
      const margin = bins.reduce((sum, b, f) => sum + curves.values[offsets[f]! + b]!, curves.intercept);
      expect(outputsOf(ensemble, kinds, (f) => bins[f]!)).toEqual(Float64Array.of(margin));
    }
    features.forEach((_, f) => {
      const [from, to] = [offsets[f]!, offsets[f + 1]!];
      const mean = counts.rows
        .slice(from, to)
        .reduce((sum, own, b) => sum + (own / rows.length) * curves.values[from + b]!, 0);
      expect(Math.abs(mean)).toBeLessThan(2 ** -24);
    });
    const [a, , c] = releasedCurves(study, { curves, stdDevs: counts.rows } as unknown as AdditiveResult);
    expect(a!.bins.map((bin) => ("from" in bin ? [bin.from, bin.to] : null))[7]).toEqual([7, 8]);
    expect(c!.bins.map((bin) => ("level" in bin ? bin.level : null))).toEqual(["x", "y", "z"]);
  });

  it("answers the classes' log-odds where no feature tells anything, and nothing where there are no rows", async () => {
    const study = additiveTestStudy();
    const rows = Array.from({ length: 400 }, (_, r) => ({
      values: [1, 0.1, 0],
      label: (r % 8 === 0 ? 1 : 0) as 0 | 1,
    }));
    const { curves } = await simulateAdditive({ study, tables: dealt(rows, 3, [0, 1, 2]), kernels, random });
    expect(curves.intercept).toBeCloseTo(Math.log(1 / 7), 4);
    expect(Math.max(...curves.values.map(Math.abs))).toBe(0);
    const empty = await simulateAdditive({ study, tables: [[], [], []], kernels, random });
    expect(empty.curves.intercept).toBe(0);
  });
});

describe("the noise band", () => {
  it("is as wide as the curves of many runs over the same rows lie apart", async () => {
    const privacy = { epsilon: 2, delta: 1e-5 };
    const participation = { minimumSites: 3, maxRowsPerSite: 5000 };
    const study = additiveTestStudy({ epochs: 6 }, { privacy, participation });
    const rows = testRows(6000, "band");
    const tables = dealt(rows, 3, [0, 1, 2]);
    const runs = 40;
    const results: AdditiveResult[] = [];
    for (let run = 0; run < runs; run++)
      results.push(await simulateAdditive({ study, tables, kernels, random: seededRandom(`band ${run}`) }));
    const all = additiveLayout(study).offsets.at(-1)!;
    let [found, stated] = [0, 0];
    for (let b = 0; b < all; b++) {
      const values = results.map(({ curves }) => curves.values[b]!);
      const mean = values.reduce((sum, value) => sum + value, 0) / runs;
      found += values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (runs - 1);
      stated += results.reduce((sum, { stdDevs }) => sum + stdDevs[b]! ** 2, 0) / runs;
    }
    const ratio = Math.sqrt(found / stated);
    expect(ratio).toBeGreaterThan(0.75);
    expect(ratio).toBeLessThan(1.25);
  });

  it("has no width without noise", async () => {
    const study = additiveTestStudy();
    const { stdDevs } = await simulateAdditive({
      study,
      tables: dealt(testRows(100), 3, [0, 1, 2]),
      kernels,
      random,
    });
    expect(Math.max(...stdDevs)).toBe(0);
  });
});
