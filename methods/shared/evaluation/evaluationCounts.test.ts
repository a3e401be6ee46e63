import { blockPart, heldOutRows, rowHashes } from "@consilium/core/learning/heldOut";
import { streamed } from "@consilium/core/learning/sums";
import { logOddsOf, probabilitiesOf, scoreOf } from "@consilium/core/learning/trees/link";
import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type EvaluationForm, evaluationForm, scoreBins } from "@consilium/core/study/evaluation";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BinnedFeature } from "../columns/binning.js";
import { ensemblePrediction, evaluationCounts } from "./evaluationCounts.js";
import { rangeOf, scoreScale } from "./scoreScale.js";

const evaluation = { heldOut: 0.2, share: 0.05 };
const seed = "consilium";

function blockOf(rows: readonly (readonly number[])[], labels: readonly number[]): ColumnBlock {
  const width = rows[0]?.length ?? 1;
  return {
    rows: rows.length,
    columns: Array.from({ length: width }, (_, j) => Float64Array.from(rows, (row) => row[j]!)),
    labels: Uint16Array.from(labels),
  };
}

const table = fc
  .array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 3 }), fc.nat(1)), {
    minLength: 1,
    maxLength: 60,
  })
  .map((rows) =>
    blockOf(
      rows.map(([x, level]) => [x, level]),
      rows.map(([, , label]) => label),
    ),
  );

describe("which rows are held out", () => {
  it("hashes a row as MurmurHash3_x86_32 does its bytes", () => {
    // "aaaaaaaa" and "abcdefgh" as one float64, little-endian; values of the reference implementation (PyPI mmh3 5.3.0).
    const bytes = (text: string) =>
      new DataView(Uint8Array.from(Buffer.from(text)).buffer).getFloat64(0, true);
    const hashes = rowHashes(blockOf([[bytes("aaaaaaaa")], [bytes("abcdefgh")]], [0, 0]), 0x9747b28c);
    expect(Array.from(hashes)).toEqual([842165033, 3473041124]);
  });

  it("takes about the declared part of different rows", () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => [i, i % 7]);
    const block = blockOf(
      rows,
      rows.map(() => 0),
    );
    for (const fraction of [0.05, 0.2, 0.5]) {
      const held = heldOutRows(block, fraction, seed).reduce((sum, one) => sum + one, 0) / 20_000;
      // Five standard deviations at p = ½.
      expect(Math.abs(held - fraction)).toBeLessThan(5 * 0.5 * Math.sqrt(1 / 20_000));
    }
  });

  it("is a function of the row's features and the seed alone", () => {
    fc.assert(
      fc.property(table, fc.nat(1), (block, label) => {
        const held = heldOutRows(block, 0.5, seed);
        const lone = Array.from({ length: block.rows }, (_, r) => {
          const row = block.columns.map((column) => column[r]!);
          return heldOutRows(blockOf([row], [label]), 0.5, seed)[0]!;
        });
        expect(Array.from(held)).toEqual(lone);
      }),
    );
    expect(rowHashes(blockOf([[-0]], [0]), 1)).toEqual(rowHashes(blockOf([[0]], [0]), 1));
    const many = blockOf(
      Array.from({ length: 200 }, (_, i) => [i]),
      new Array<number>(200).fill(0),
    );
    expect(heldOutRows(many, 0.5, "a")).not.toEqual(heldOutRows(many, 0.5, "b"));
  });

  it("gives every row to training or to evaluation, in order", () => {
    fc.assert(
      fc.property(table, (block) => {
        const rowsOf = (part: ColumnBlock) =>
          Array.from({ length: part.rows }, (_, r) =>
            [...part.columns.map((column) => column[r]!), part.labels![r]!].join(),
          );
        const held = heldOutRows(block, evaluation.heldOut, seed);
        const all = rowsOf(block);
        expect(rowsOf(blockPart(block, "training", evaluation, seed))).toEqual(
          all.filter((_, r) => held[r] === 0),
        );
        expect(rowsOf(blockPart(block, "held-out", evaluation, seed))).toEqual(
          all.filter((_, r) => held[r] === 1),
        );
      }),
    );
  });

  it("leaves every row to training where nothing is evaluated", () => {
    const block = blockOf([[1], [2]], [0, 1]);
    expect(blockPart(block, "training", "none", seed)).toBe(block);
    expect(blockPart(block, "held-out", "none", seed).rows).toBe(0);
  });
});

const features: readonly BinnedFeature[] = [
  { name: "x", kind: "ordered", bins: 2, edges: Float64Array.of(0.5), levels: [] },
  { name: "c", kind: "nominal", bins: 4, edges: new Float64Array(0), levels: ["a", "b", "c", "d"] },
];

const stump = (feature: number, cut: number, left: readonly number[], right: readonly number[]) => ({
  nodes: [
    { kind: "split" as const, feature, cut, gain: 1, cover: 1, left: 1, right: 2 },
    { kind: "leaf" as const, values: left, cover: 1 },
    { kind: "leaf" as const, values: right, cover: 1 },
  ],
});

const logistic: TreeEnsemble = {
  trees: [stump(0, 0, [-1.2], [0.7]), stump(1, 2, [0.9], [-0.1])],
  base: [0.05],
  link: "logistic",
};

const { cuts } = scoreScale(logistic);

describe("the site's counts", () => {
  it("counts held-out rows by score and class as a loop over rows does", async () => {
    const form = evaluationForm(2);
    await fc.assert(
      fc.asyncProperty(table, async (block) => {
        const counts = await evaluationCounts({
          study: {},
          evaluation,
          form,
          seed,
          cuts,
          blocks: streamed([block, block]),
          predict: ensemblePrediction(logistic, features, form),
        });
        const expected = new Float64Array(2 * scoreBins);
        const held = heldOutRows(block, evaluation.heldOut, seed);
        for (let r = 0; r < block.rows; r++) {
          if (held[r] !== 1) continue;
          const [x, level] = [block.columns[0]![r]!, block.columns[1]![r]!];
          const logOdds = 0.05 + (x < 0.5 ? -1.2 : 0.7) + (level === 2 ? 0.9 : -0.1);
          const below = [...cuts].filter((cut) => cut < logOdds).length;
          expected[2 * below + block.labels![r]!]! += 2;
        }
        expect(counts).toEqual(expected);
      }),
    );
  });

  it("counts by class with more than two of them, whatever the sites", async () => {
    const form = evaluationForm(4);
    const ensemble: TreeEnsemble = {
      trees: [stump(1, 1, [0, 3, 0, 0], [0, 0, 0, 1])],
      base: [1, 0, 0, 0],
      link: "classes",
    };
    const rows = Array.from({ length: 500 }, (_, i) => [i / 500, i % 4]);
    const labels = rows.map((_, i) => (i * 7) % 4);
    const predict = ensemblePrediction(ensemble, features, form);
    const count = (from: number, to: number) =>
      evaluationCounts({
        study: {},
        evaluation,
        form,
        seed,
        cuts,
        blocks: streamed([blockOf(rows.slice(from, to), labels.slice(from, to))]),
        predict,
      });
    const whole = await count(0, 500);
    expect(whole.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(50);
    // Level b is called class 1; all others tie between the classes 0 and 3, and the first has it.
    expect(Array.from(whole.slice(8))).toEqual(new Array(8).fill(0));
    const [left, right] = [await count(0, 123), await count(123, 500)];
    expect(whole).toEqual(left.map((n, i) => n + right[i]!));
  });

  it("adds one 1 for a record, or nothing", async () => {
    const form = evaluationForm(2);
    const predict = ensemblePrediction(logistic, features, form);
    const count = (rows: readonly number[][]) =>
      evaluationCounts({
        study: {},
        evaluation: { heldOut: 0.5, share: 0.05 },
        form,
        seed,
        cuts,
        blocks: streamed([
          blockOf(
            rows,
            rows.map(([x]) => (x! > 0.3 ? 1 : 0)),
          ),
        ]),
        predict,
      });
    const norms = new Set<number>();
    const rows = Array.from({ length: 12 }, (_, i) => [i / 12, i % 4]);
    const before = await count(rows);
    for (let i = 0; i < 40; i++) {
      const after = await count([...rows, [i / 40, (i * 3) % 4]]);
      norms.add(after.reduce((sum, n, at) => sum + (n - before[at]!) ** 2, 0));
    }
    expect(norms).toEqual(new Set([0, 1]));
  });

  it("has nothing to count at a site without rows", async () => {
    const form: EvaluationForm = evaluationForm(2);
    const predict = ensemblePrediction(logistic, features, form);
    expect(
      await evaluationCounts({ study: {}, evaluation, form, seed, cuts, blocks: streamed([]), predict }),
    ).toEqual(new Float64Array(2 * scoreBins));
  });
});

describe("the score", () => {
  it("is the one output, or the second's part of two", () => {
    expect(scoreOf(Float64Array.of(0.3), "logistic")).toBe(0.3);
    expect(scoreOf(Float64Array.of(1, 3), "classes")).toBe(0.75);
    expect(scoreOf(Float64Array.of(0, 0), "classes")).toBe(0.5);
  });

  it("becomes log-odds and a probability by the link", () => {
    const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
    const second = (outputs: number[], link: TreeEnsemble["link"]) =>
      probabilitiesOf(Float64Array.from(outputs), link, null)[1]!;
    expect(second([0.3], "logistic")).toBeCloseTo(sigmoid(0.3), 15);
    expect(second([0.3], "margin")).toBeCloseTo(sigmoid(0.6), 15);
    expect(second([1, 3], "classes")).toBe(0.75);
    expect(logOddsOf(0.75, "classes")).toBeCloseTo(Math.log(3), 15);
    const [a, b, c] = probabilitiesOf(Float64Array.of(1, 2, -800), "softmax", null);
    expect([a, b, c]).toEqual([expect.closeTo(sigmoid(-1), 15), expect.closeTo(sigmoid(1), 15), 0]);
    expect([...probabilitiesOf(Float64Array.of(900, 900), "softmax", null)]).toEqual([0.5, 0.5]);
    const calibration = { intercept: -1, slope: 2 };
    expect(probabilitiesOf(Float64Array.of(0.3), "margin", calibration)[1]).toBeCloseTo(sigmoid(0.2), 15);
    expect(probabilitiesOf(Float64Array.of(1, 3), "classes", calibration)[1]).toBeCloseTo(
      sigmoid(-1 + 2 * Math.log(3)),
      15,
    );
  });

  it("lies in the range up to and with its cut", () => {
    const some = Float64Array.of(-1, 0, 0, 2);
    expect([-2, -1, -0.5, 0, 0.1, 2, 3].map((score) => rangeOf(some, score))).toEqual([0, 0, 1, 1, 3, 3, 4]);
  });
});
