import { streamed } from "@consilium/core/learning/sums";
import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { evaluationForm, evaluationStage } from "@consilium/core/study/evaluation";
import { soundSum } from "@consilium/core/study/soundSums";
import { binnedFeatures } from "@consilium/methods/shared/columns/binning";
import { ensemblePrediction, evaluationCounts } from "@consilium/methods/shared/evaluation/evaluationCounts";
import { scoreScale } from "@consilium/methods/shared/evaluation/scoreScale";
import { parseStudy } from "@consilium/methods/testing/studies";
import type { Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** The evaluation of a model by itself: the model is published before and the same for both neighbours. */

const privacy = { epsilon: 1, delta: 1e-5 };
const evaluation = { heldOut: 0.5, share: 0.5 };
const form = evaluationForm(2);
const seed = "audit";

// Of the study only the privacy and the sites count here.
const study = unwrap(
  parseStudy({
    name: "audit",
    table: "records",
    analysis: "pca",
    variant: "sound",
    features: [{ name: "x", type: "numeric", min: 0, max: 1 }],
    label: { name: "y", levels: ["no", "yes"] },
    privacy,
    participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
    parameters: { components: 1 },
  }),
);
const features = binnedFeatures(study.features, 4);
const stage = evaluationStage(evaluation, form, [])!;
const { scale, noise } = soundSum(study, stage);

const leaf = (value: number) => ({ kind: "leaf" as const, values: [value], cover: 1 });
const ensemble: TreeEnsemble = {
  trees: [
    {
      nodes: [
        { kind: "split", feature: 0, cut: 1, gain: 1, cover: 1, left: 1, right: 2 },
        leaf(-1),
        leaf(1.5),
      ],
    },
  ],
  base: [0],
  link: "logistic",
};

const { cuts } = scoreScale(ensemble);

/** Scores on both sides of the threshold, in either class, of rows that are held out and rows that are not. */
const domain = [0.05, 0.2, 0.35, 0.45, 0.55, 0.65, 0.8, 0.95].map((x, i) => ({
  x,
  label: Number(i % 3 === 0),
}));
type Row = (typeof domain)[number];

const blockOf = (rows: readonly Row[]): ColumnBlock => ({
  rows: rows.length,
  columns: [Float64Array.from(rows, ({ x }) => x)],
  labels: Uint16Array.from(rows, ({ label }) => label),
});

async function vectorOf(rows: readonly Row[]): Promise<Integers> {
  const counts = await evaluationCounts({
    study: {},
    evaluation,
    form,
    seed,
    cuts,
    blocks: streamed([blockOf(rows)]),
    predict: ensemblePrediction(ensemble, features, form),
  });
  return BigInt64Array.from(counts, (count) => BigInt(count * scale));
}

function mechanismOf(vector: (rows: readonly Row[]) => Promise<Integers>, attained: boolean): SumMechanism {
  return {
    records: domain.length,
    tableRecords: 4,
    stages: [
      { id: stage.id, vector: (table) => vector(table.map((r) => domain[r]!)), noise: noise!, attained },
    ],
  };
}

export const evaluations: readonly SoundMethod[] = [
  {
    kind: "sound",
    name: "evaluation",
    claim: { ...privacy, relation: "add-remove" },
    mechanism: mechanismOf(vectorOf, true),
  },
];

/** A vector of counts with something wrong in it. */
const mutated = (name: string, vector: (rows: readonly Row[]) => Promise<Integers>): Mutation => ({
  kind: "mutation",
  name: `evaluation: ${name}`,
  mechanism: mechanismOf(vector, false),
});

export const evaluationMutations: readonly Mutation[] = [
  mutated("every other row held out, by its place in the table", (rows) =>
    vectorOf(rows.filter((_, place) => place % 2 === 1)),
  ),
  mutated("a row counted at its bin and all above", async (rows) => {
    const vector = await vectorOf(rows);
    for (let i = 2; i < vector.length; i++) vector[i]! += vector[i - 2]!;
    return vector;
  }),
  mutated("parts of the held-out rows instead of counts", async (rows) => {
    const vector = await vectorOf(rows);
    const total = vector.reduce((sum, count) => sum + count, 0n);
    return vector.map((count) => (total === 0n ? 0n : (10n * BigInt(scale) * count) / total));
  }),
];
