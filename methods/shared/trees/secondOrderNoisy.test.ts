import { simulatedSite, streamed } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planSoundSums } from "@consilium/core/study/soundSums";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blockOf,
  boosted,
  kernels,
  type Rows,
  settingsOf,
  studyOf,
} from "../../testing/trees/secondOrder.js";
import { noisySecondOrderVector } from "../../testing/vectors.js";
import { encodeSplits } from "./levels.js";
import {
  gradientLimit,
  leafMost,
  type SecondOrderSettings,
  type SecondOrderStage,
  secondOrderIssues,
  secondOrderStages,
} from "./secondOrder.js";
import { wholeTable } from "./secondOrderContributor.js";
import { splitImportances } from "./secondOrderConversation.js";
import { addLeaf, baseMargin, gradientWriter } from "./secondOrderRecords.js";
import { exactChoice, leafValue, noisyChoice } from "./secondOrderSplits.js";
import { secondOrderVector } from "./secondOrderVector.js";

const features = [
  { name: "x", type: "numeric", min: 0, max: 4, edges: [0.5, 1.5, 2.5, 3.5] },
  { name: "c", type: "categorical", levels: ["a", "b", "c"] },
];
const site = simulatedSite(0);
const study = studyOf(features, { privacy: { epsilon: 1, delta: 1e-5 } });
const noisy = settingsOf(study, { sums: "noisy", trees: 2 });

describe("a record of noisy second-order boosting", () => {
  /** @param tree - by default so late that every margin may have been reached */
  const pairOf = (settings: SecondOrderSettings, margin: number, isPositive: boolean, tree = 1000) => {
    const out = new Float64Array(2);
    gradientWriter(settings, tree)(Float64Array.of(margin), 0, isPositive, out, 0);
    return [out[0]!, out[1]!] as const;
  };

  it("is never longer than 1, nor than its derivatives", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -800, max: 800, noNaN: true }),
        fc.boolean(),
        fc.nat(20),
        (margin, y, k) => {
          const [g, h] = pairOf({ ...noisy, gridExponent: k }, margin, y);
          const p = 1 / (1 + Math.exp(-margin));
          expect(Number.isInteger(g) && Number.isInteger(h) && h >= 0).toBe(true);
          expect(BigInt(g) ** 2n + BigInt(h) ** 2n <= 4n ** BigInt(k)).toBe(true);
          expect(Math.abs(g)).toBeLessThanOrEqual(2 ** k * Math.abs(p - (y ? 1 : 0)));
          expect(h).toBeLessThanOrEqual(2 ** k * p * (1 - p));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("has length 1 where the model is sure and wrong, and √.3125 where it begins", () => {
    expect(pairOf(noisy, 50, false)).toEqual([2 ** 20, 0]);
    expect(pairOf(noisy, -50, true)).toEqual([-(2 ** 20), 0]);
    expect(pairOf(noisy, 0, true)).toEqual([-(2 ** 19), 2 ** 18]);
  });

  it("is never longer than its tree's limit, which cuts nothing that margins can be by then", () => {
    const limits = [0, 1, 2, 3, 4, 30].map((tree) => gradientLimit(noisy, tree) / 4 ** 20);
    // p² + p²(1 - p)² at margins of 0, .9, 1.8, 2.7, 3.6 and 27, in 64ths: .3125, .5477, .7512, .8815, .9482 and nearly 1.
    expect(limits).toEqual([20, 36, 49, 57, 61, 64].map((part) => part / 64));
    fc.assert(
      fc.property(
        fc.nat(8),
        fc.constantFrom(0.5, 0.1, 0.95),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: -9, max: 9, noNaN: true }),
        fc.boolean(),
        fc.integer({ min: 3, max: 20 }),
        (tree, baseScore, part, beyond, y, gridExponent) => {
          const settings = { ...noisy, baseScore, gridExponent };
          const limit = gradientLimit(settings, tree);
          const length = ([g, h]: readonly [number, number]) => BigInt(g) ** 2n + BigInt(h) ** 2n;
          const margin = baseMargin(settings) + part * tree * leafMost(settings);
          const own = pairOf(settings, margin, y, tree);
          expect(own).toEqual(pairOf(settings, margin, y));
          expect(length(own) <= BigInt(limit)).toBe(true);
          // A margin that no broadcast leads to is cut.
          expect(length(pairOf(settings, beyond, y, tree)) <= BigInt(limit)).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("comes from margins on the grid of leaves", () => {
    expect(baseMargin({ ...noisy, baseScore: 0.9 }) * 2 ** 24).toBe(Math.round(Math.log(9) * 2 ** 24));
    expect(addLeaf(noisy, 0.25, 2 ** -24)).toBe(0.25 + 2 ** -24);
  });
});

describe("the stages of noisy second-order boosting", () => {
  const stages = secondOrderStages(noisy, 0.4);

  it("have the planned shapes, and cost their part", () => {
    expect(
      stages.map(({ id, length, broadcasts }) => [
        id,
        length,
        broadcasts.map((one) => `${one.name} ${one.length}`),
      ]),
    ).toEqual([
      ["tree-1-level-1", 16, []],
      ["tree-1-level-2", 32, ["splits 2"]],
      ["tree-2-level-1", 16, ["splits 4", "leaves 4"]],
      ["tree-2-level-2", 32, ["splits 2"]],
    ]);
    // Δ² = m·.3125 in the first tree, in the second one m·.5477 rounded up to 64ths, in units of 4^-k.
    expect(stages.map((stage) => stage.sensitivitySquared / 4 ** 20)).toEqual([
      0.625,
      0.625,
      72 / 64,
      72 / 64,
    ]);
    expect(stages.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(0.4, 12);
    const plan = planSoundSums(study, () => ({
      stages: secondOrderStages(noisy, 1),
      proof: "docs/METHODS.md",
      warnings: [],
    }));
    expect(plan.claim.epsilon).toBeLessThanOrEqual(1);
    expect(plan.claim.epsilon).toBeGreaterThan(0.999);
  });

  it("are refused where a level's vector grows too long", () => {
    expect(secondOrderIssues(noisy)).toEqual([]);
    const params = { numbers: 268_435_456, max: 134_217_728 };
    expect(secondOrderIssues({ ...noisy, depth: 25 })).toEqual([
      [["parameters", "depth"], { code: "fault.last-level", params }],
    ]);
  });
});

const bins = (count: number) =>
  fc.array(
    fc.tuple(fc.double({ min: -50, max: 50, noNaN: true }), fc.double({ min: -5, max: 40, noNaN: true })),
    {
      minLength: count,
      maxLength: count,
    },
  );

describe("the choice of a split from noisy sums", () => {
  it("is the best of what is sure to be more than noise", () => {
    fc.assert(
      fc.property(bins(5), bins(3), fc.constantFrom(0, 0.2, 1, 3), (x, c, stdDev) => {
        const chosen = noisyChoice(noisy, [Float64Array.from(x.flat()), Float64Array.from(c.flat())], stdDev);
        const candidates = naiveCandidates([x, c], stdDev);
        const most = Math.max(0, ...candidates.map(({ gain }) => gain));
        // Where two are as good, or one is hardly worth it, the last bit of a sum decides.
        if (Math.abs(most - leastGain) < 1e-9) return;
        expect(chosen.best === null).toBe(most < leastGain);
        if (chosen.best === null) return;
        const { split, gain } = chosen.best;
        expect(gain).toBeCloseTo(most, 8);
        const own = candidates.find(
          (one) => one.split.feature === split.feature && one.split.cut === split.cut,
        );
        expect(own?.gain).toBeCloseTo(most, 8);
      }),
      { numRuns: 500 },
    );
  });

  it("splits nothing where there is only noise, and takes a node's sums from every feature", () => {
    const sums = [Float64Array.of(3, 4, -2, 4, 1, 4, 0, 4, 2, 4), Float64Array.of(4, 8, -4, 8, 5, 8)];
    const { total, best } = noisyChoice(noisy, sums, 5);
    expect(best).toBeNull();
    // 4 and 20 of five bins, 5 and 24 of three: weighted 1/5 to 1/3.
    expect(total.g).toBeCloseTo((4 / 5 + 5 / 3) / (1 / 5 + 1 / 3), 12);
    expect(total.h).toBeCloseTo((20 / 5 + 24 / 3) / (1 / 5 + 1 / 3), 12);
  });

  it("is the exact one without noise", () => {
    const counts = fc.array(fc.tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: 1, max: 8 })), {
      minLength: 5,
      maxLength: 5,
    });
    fc.assert(
      fc.property(counts, (x) => {
        const settings = { ...noisy, features: noisy.features.slice(0, 1) };
        const sums = [Float64Array.from(x.flat())];
        const [exact, without] = [
          exactChoice({ ...settings, sums: "exact" }, sums),
          noisyChoice(settings, sums, 0),
        ];
        expect(without.best === null).toBe(exact.best === null);
        if (exact.best !== null) expect(without.best!.gain).toBeCloseTo(exact.best.gain, 3);
        expect(without.total.g).toBeCloseTo(exact.total.g, 10);
        expect(without.total.h).toBeCloseTo(exact.total.h, 10);
      }),
    );
  });

  it("cuts leaf weights to ±3, towards zero on the grid", () => {
    expect(leafValue(noisy, { g: 100, h: 1 })).toBe(-leafMost(noisy));
    expect(leafValue(noisy, { g: -1, h: -4 })).toBe(Math.floor(0.3 * 2 ** 24) / 2 ** 24);
    expect(leafValue({ ...noisy, lambda: 0 }, { g: 1, h: 0 })).toBe(0);
  });
});

/** The definition, candidate by candidate. */
/** Gains up to this are rounding. */
const leastGain = 1e-6;

/** Every split whose sides stand out of the noise. */
function naiveCandidates(of: readonly (readonly (readonly [number, number])[])[], stdDev: number) {
  const candidates: { readonly split: { feature: number; cut: number }; readonly gain: number }[] = [];
  of.forEach((own, feature) => {
    const cuts = feature === 0 ? own.length - 1 : own.length;
    for (let cut = 0; cut < cuts; cut++) {
      const isLeft = (b: number) => (feature === 0 ? b <= cut : b === cut);
      const side = (keep: (b: number) => boolean) => {
        const kept = own.filter((_, b) => keep(b));
        const g = kept.reduce((sum, [gradient]) => sum + gradient, 0);
        const h = kept.reduce((sum, [, hessian]) => sum + Math.max(hessian, 0), 0);
        const variance = kept.length * stdDev ** 2;
        return { h, variance, score: Math.max(g ** 2 - 4 * variance, 0) / (h + 1) };
      };
      const [left, right, whole] = [side(isLeft), side((b) => !isLeft(b)), side(() => true)];
      if ([left, right].some(({ h, variance }) => h < Math.max(1, 4 * Math.sqrt(variance)))) continue;
      candidates.push({ split: { feature, cut }, gain: left.score + right.score - whole.score });
    }
  });
  return candidates;
}

/** x decides, c does not; the second class is rare. */
const telling: Rows = Array.from({ length: 900 }, (_, r) => [
  r % 5,
  r % 3,
  r % 5 === 4 || r % 97 === 0 ? 1 : 0,
]);

describe("noisy second-order boosting", () => {
  it("comes without noise to what exact sums give", async () => {
    const open = studyOf(features);
    const [exact, fixed] = await Promise.all(
      (["exact", "noisy"] as const).map((sums) =>
        boosted({
          study: open,
          settings: settingsOf(open, { sums }),
          sites: [telling.slice(0, 100), telling.slice(100)],
        }),
      ),
    );
    const [expected, found] = [exact!, fixed!].map(({ trees }) => splitImportances(trees, 2));
    for (const f of [0, 1]) {
      expect(found![f]!.splits).toBe(expected![f]!.splits);
      expect(found![f]!.totalGain).toBeCloseTo(expected![f]!.totalGain, 2);
    }
  });

  it("finds what tells the classes apart, in a model that sites accept", async () => {
    const study = studyOf(features, { privacy: { epsilon: 8, delta: 1e-5 } });
    const sites = Array.from({ length: 5 }, (_, s) => telling.filter((_, r) => r % 4 === s));
    const { trees, base } = await boosted({ study, settings: noisy, sites, random: seededRandom("boost") });
    expect(base).toEqual([0]);
    const [x, c] = splitImportances(trees, 2);
    expect(x!.totalGain).toBeGreaterThan(c!.totalGain);
    const leaves = trees.flatMap(({ nodes }) => nodes.filter((node) => node.kind === "leaf"));
    for (const { values } of leaves) {
      expect(Number.isInteger(values[0]! * 2 ** 24)).toBe(true);
      expect(Math.abs(values[0]!)).toBeLessThanOrEqual(leafMost(noisy));
    }
  });

  it("is a valid model where no site has a row", async () => {
    const { trees } = await boosted({
      study,
      settings: noisy,
      sites: [[], [], []],
      random: seededRandom("boost"),
    });
    for (const { nodes } of trees)
      for (const node of nodes)
        expect(node.kind === "leaf" ? Number.isFinite(node.values[0]!) : node.gain > 0).toBe(true);
  });
});

/** By the method's own vector: of exact sums, or what the gate adds up. */
async function vectorOf(options: {
  readonly settings: SecondOrderSettings;
  readonly stage: SecondOrderStage;
  readonly broadcasts: Broadcasts;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly kernels: NumericKernels;
}): Promise<BigUint64Array> {
  const { blocks, kernels: own, ...rest } = options;
  if (rest.settings.sums === "exact")
    return secondOrderVector({ ...rest, study, site, blocks, kernels: own });
  const input = { blocks, kernels: own, random: seededRandom("a site") };
  return noisySecondOrderVector({ ...rest, study, training: wholeTable, input });
}

describe("a site asked by somebody hostile", () => {
  const stages = secondOrderStages(noisy, 1);
  const honest: Record<string, Broadcast> = {
    "tree-1-level-1": {},
    "tree-1-level-2": { splits: encodeSplits([{ feature: 0, cut: 1 }]) },
    "tree-2-level-1": {
      splits: encodeSplits([null, { feature: 1, cut: 2 }]),
      leaves: Float64Array.of(0.25, 0.25, -0.5, 0.75),
    },
  };
  const unread: AsyncIterable<never> = {
    [Symbol.asyncIterator]: () => {
      throw new Error("a row was read");
    },
  };
  const answer = (told: Record<string, Broadcast>, settings = noisy) =>
    vectorOf({
      settings,
      stage: stages[2]!,
      broadcasts: new Map(Object.entries(told)) as never,
      blocks: unread,
      kernels,
    });

  it("would answer what is honest", async () => {
    await expect(answer(honest)).rejects.toThrow("a row was read");
  });

  it.each<[string, Record<string, Broadcast>]>([
    ["no splits", { "tree-1-level-2": {} }],
    ["no stage", { "tree-1-level-2": undefined as never }],
    ["splits of another length", { "tree-1-level-2": { splits: Float64Array.of(0, 1, 0, 1) } }],
    ["a feature that is not there", { "tree-1-level-2": { splits: Float64Array.of(2, 0) } }],
    ["a cut that is not there", { "tree-1-level-2": { splits: Float64Array.of(0, 4) } }],
    ["half a cut", { "tree-1-level-2": { splits: Float64Array.of(0, 0.5) } }],
    ["a split below none", { "tree-1-level-2": { splits: Float64Array.of(-1, -1) } }],
    ["no leaves", { "tree-2-level-1": { splits: honest["tree-2-level-1"]!.splits! } }],
    ...[
      ["a leaf off the grid", 0.1],
      ["a leaf beyond ±3η", 0.9],
      ["a leaf that is no number", Number.NaN],
      ["an infinite leaf", Number.POSITIVE_INFINITY],
    ].map(([name, leaf]): [string, Record<string, Broadcast>] => [
      name as string,
      { "tree-2-level-1": { ...honest["tree-2-level-1"], leaves: Float64Array.of(0, 0, 0, leaf as number) } },
    ]),
  ])("refuses %s before it reads a row", async (_, change) => {
    await expect(answer({ ...honest, ...change })).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
  });

  it("refuses leaves of exact sums that are no singles, or endless", async () => {
    const exact = settingsOf(study, { trees: 2 });
    for (const leaf of [0.1, 2 ** 101, Number.NaN]) {
      const leaves = Float64Array.of(0, 0, 0, leaf);
      const told = { ...honest, "tree-2-level-1": { ...honest["tree-2-level-1"], leaves } };
      await expect(answer(told, exact)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    }
  });

  it("adds nothing for rows of nodes that are not split", async () => {
    const rows: Rows = [
      [0, 0, 1],
      [4, 1, 0],
    ];
    const vector = await vectorOf({
      settings: noisy,
      stage: stages[1]!,
      broadcasts: new Map([["tree-1-level-2", { splits: Float64Array.of(-1, -1) }]]) as never,
      blocks: streamed([blockOf(rows, 2)]),
      kernels,
    });
    expect(vector.length).toBe(32);
    expect(vector.every((entry) => entry === 0n)).toBe(true);
  });
});
