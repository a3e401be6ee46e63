import { heldOutRows } from "@consilium/core/learning/heldOut";
import { outputsOf } from "@consilium/core/learning/trees/tree";
import { plainKernels } from "@consilium/core/linalg/plain";
import { wholly } from "@consilium/core/method/parts";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binOf } from "../shared/columns/binning.js";
import { drawnFeatures } from "../shared/trees/nodeFeatures.js";
import { simulateHistBoost } from "../testing/histBoost/simulate.js";
import { blockOf, type TestRow, testRows, testStudy } from "../testing/histBoost/study.js";
import { histBoostConversation } from "./conversation.js";
import { ensembleOf } from "./ensemble.js";
import { type HistBoostStudy, histBoostLayout } from "./study.js";

const kernels = plainKernels();
const random = seededRandom("histboost");

interface NaiveTree {
  /** Per level and node feature and cut, or null. */
  readonly splits: ([feature: number, cut: number] | null)[][];
  readonly leaves: number[];
}

/** DP-HistBoost without noise, over all rows at once, as the text has it and without a histogram. */
function naive(study: HistBoostStudy, rows: readonly TestRow[]): NaiveTree[] {
  const { trees, depth, seed, mode } = study.parameters;
  const { features, featuresPerNode } = histBoostLayout(study);
  const goesLeft = ({ values }: TestRow, [f, cut]: [number, number]) =>
    features[f]!.kind === "nominal" ? values[f] === cut : !(values[f]! >= features[f]!.edges[cut]!);
  const nodeAfter = (row: TestRow, splits: NaiveTree["splits"]) =>
    splits.reduce((node, level) => {
      const split = level[node]!;
      return 2 * node + (split === null || goesLeft(row, split) ? 0 : 1);
    }, 0);
  const done: NaiveTree[] = [];
  for (let tree = 0; tree < trees; tree++) {
    const weights = rows.map((row) => {
      const f = done.reduce((sum, { splits, leaves }) => sum + leaves[nodeAfter(row, splits)]!, 0);
      return Math.floor(16 * Math.min(1, Math.exp(row.label === 1 ? -f : f)));
    });
    const mass = (inside: (row: TestRow) => boolean, label: 0 | 1) =>
      rows.reduce((sum, row, r) => (row.label === label && inside(row) ? sum + weights[r]! : sum), 0);
    const purity = (inside: (row: TestRow) => boolean) => {
      const [n, p] = [mass(inside, 0), mass(inside, 1)];
      return n + p === 0 ? 0 : (p * p + n * n) / (p + n);
    };
    const splits: NaiveTree["splits"] = [];
    for (let level = 0; level < depth; level++) {
      splits.push(
        Array.from({ length: 2 ** level }, (_, node) => {
          const here = (row: TestRow) => nodeAfter(row, splits.slice(0, level)) === node;
          let best: { gain: number; split: [number, number] | null } = { gain: 0, split: null };
          for (const f of drawnFeatures(`${seed} features ${tree} ${level} ${node}`, featuresPerNode, 3)) {
            const cuts = features[f]!.bins - (features[f]!.kind === "ordered" ? 1 : 0);
            for (let cut = 0; cut < cuts; cut++) {
              const left = purity((row) => here(row) && goesLeft(row, [f, cut]));
              const right = purity((row) => here(row) && !goesLeft(row, [f, cut]));
              const gain = left + right - purity(here);
              if (gain > best.gain) best = { gain, split: [f, cut] };
            }
          }
          return best.split;
        }),
      );
    }
    const counts = Array.from({ length: 2 ** depth }, (_, leaf) =>
      ([0, 1] as const).map((label) => mass((row) => nodeAfter(row, splits) === leaf, label) / 16),
    );
    done.push({ splits, leaves: naiveLeaves(mode, counts, splits) });
  }
  return done;
}

function naiveLeaves(mode: "real" | "discrete", counts: number[][], splits: NaiveTree["splits"]): number[] {
  const wrong = counts.reduce((sum, [n, p]) => sum + Math.min(n!, p!), 0);
  const all = counts.reduce((sum, [n, p]) => sum + n! + p!, 0);
  const tau = Math.min(0.5, Math.max(0.02, wrong / all));
  const alpha = 0.5 * Math.log((1 - tau) / tau);
  return counts.map(([n, p], leaf) => {
    // Right of a node that is not split there is nothing.
    for (let level = splits.length - 1, node = leaf; level >= 0; level--) {
      const isRight = node % 2 === 1;
      node = (node - (isRight ? 1 : 0)) / 2;
      if (isRight && splits[level]![node] === null) return 0;
    }
    const value = mode === "real" ? 0.5 * Math.log((p! + 1) / (n! + 1)) : p! >= n! ? alpha : -alpha;
    return Math.round(value * 2 ** 24) / 2 ** 24;
  });
}

/** Rows dealt out to sites as `places` says. */
const dealt = (rows: readonly TestRow[], sites: number, places: readonly number[]) =>
  Array.from({ length: sites }, (_, site) => {
    const own = rows.filter((_, r) => places[r % places.length]! % sites === site);
    const middle = Math.floor(own.length / 2);
    return [blockOf(own.slice(0, middle)), blockOf(own.slice(middle))];
  });

describe("DP-HistBoost without noise", () => {
  for (const mode of ["real", "discrete"] as const) {
    it(`grows the trees of an independent program over all rows, however they are dealt out (${mode})`, async () => {
      const study = testStudy({ mode, trees: 4, depth: 3 });
      const rows = testRows(150);
      const expected = naive(study, rows);
      expect(expected[0]!.splits.flat().filter((split) => split !== null).length).toBeGreaterThan(3);
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 3, max: 20 }),
          fc.array(fc.nat(1000), { minLength: 1, maxLength: 150 }),
          async (sites, places) => {
            const { trees } = await simulateHistBoost({
              study,
              tables: dealt(rows, sites, places),
              kernels,
              random,
            });
            trees.forEach((tree, t) => {
              const splits = tree.levels.map((level) =>
                level.map((split) => (split === null ? null : [split.feature, split.cut])),
              );
              expect(splits).toEqual(expected[t]!.splits);
              expect(Array.from(tree.leaves)).toEqual(expected[t]!.leaves);
            });
          },
        ),
        { numRuns: 8 },
      );
    });
  }

  it("trains on the rows that are not held out, and evaluates on the others", async () => {
    const study = testStudy({ evaluation: { heldOut: 0.3 } });
    const rows = testRows(300);
    const held = heldOutRows(blockOf(rows), 0.3, study.parameters.seed);
    const { trees, evaluation } = await simulateHistBoost({
      study,
      tables: dealt(rows, 4, [0, 1, 2, 3]),
      kernels,
      random,
    });
    const expected = naive(
      study,
      rows.filter((_, r) => held[r] === 0),
    );
    expect(trees.map(({ leaves }) => Array.from(leaves))).toEqual(expected.map(({ leaves }) => leaves));
    expect(evaluation!.rows).toBe(held.reduce((sum, one) => sum + one, 0));
    expect(evaluation!.accuracy.value).toBeGreaterThan(evaluation!.majority.value);
  });
});

describe("DP-HistBoost with noise", () => {
  const privacy = { epsilon: 20, delta: 1e-5 };
  const study = testStudy({ trees: 2, depth: 2 }, { privacy });

  it("guards its splits by the noise of the sites that are in each sum", async () => {
    const stdDevs = async (survivors: number) => {
      const conversation = {
        survivors,
        part: wholly,
        sum: async (id: string) => {
          const stage = histBoostLayout(study).stages.find((one) => one.id === id)!;
          return new BigUint64Array(stage.length);
        },
      };
      const { trees } = await histBoostConversation({ study, conversation });
      return trees.flatMap(({ levelStdDevs, leafStdDev }) => [...levelStdDevs, leafStdDev]);
    };
    const [few, many] = [await stdDevs(3), await stdDevs(12)];
    many.forEach((stdDev, i) => {
      expect(stdDev / few[i]!).toBeCloseTo(2, 12);
    });
  });

  it("comes to other trees every time, of much the same worth as without noise", async () => {
    const rows = testRows(3000);
    const tables = dealt(rows, 3, [0, 1, 2]);
    const right = async (one: HistBoostStudy) => {
      const { trees } = await simulateHistBoost({ study: one, tables, kernels, random });
      const { features } = histBoostLayout(one);
      const kinds = features.map(({ kind }) => kind);
      const ensemble = ensembleOf(trees);
      const hits = rows.filter(({ values, label }) => {
        const outputs = outputsOf(ensemble, kinds, (f) => binOf(features[f]!, values[f]!));
        return outputs[0]! > 0 === (label === 1);
      });
      return { leaves: trees.map(({ leaves }) => Array.from(leaves)), part: hits.length / rows.length };
    };
    const [first, second, exact] = [
      await right(study),
      await right(study),
      await right(testStudy({ trees: 2, depth: 2 })),
    ];
    expect(first.leaves).not.toEqual(second.leaves);
    expect(exact.part).toBeGreaterThan(0.7);
    for (const { part } of [first, second]) expect(Math.abs(part - exact.part)).toBeLessThan(0.05);
  });
});
