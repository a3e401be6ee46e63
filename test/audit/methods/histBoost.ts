import type { StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import type { StageNoise } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import { histBoostConversation } from "@consilium/methods/dp-histboost/conversation";
import {
  asHistBoost,
  type HistBoostStudy,
  histBoostLayout,
  histBoostNames,
  planHistBoost,
} from "@consilium/methods/dp-histboost/study";
import { weighing } from "@consilium/methods/dp-histboost/vector";
import { parseStudy } from "@consilium/methods/testing/studies";
import { histBoostVector } from "@consilium/methods/testing/vectors";
import { osRandom } from "@consilium/runtime/random";
import { broadcastsAfter, plannedNoise } from "../askedBroadcasts.js";
import type { AuditedStage, Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** dp-histboost: a number, a category of three levels and another number; two of them for each node. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };

interface Row {
  readonly values: readonly [number, number, number];
  readonly label: number;
}

/** Both classes in the same place, and rows on both sides of every cut. */
const domain: readonly Row[] = [
  { values: [0.1, 0, 0.9], label: 0 },
  { values: [0.1, 0, 0.9], label: 1 },
  { values: [0.9, 1, 0.1], label: 0 },
  { values: [0.9, 1, 0.1], label: 1 },
  { values: [0.6, 2, 0.4], label: 1 },
  { values: [0.4, 2, 0.6], label: 0 },
  { values: [0.3, 1, 0.3], label: 1 },
  { values: [0.7, 0, 0.7], label: 0 },
];

function studyOf(parameters: { readonly trees: number; readonly depth: number; readonly mode: string }) {
  const number = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });
  return asHistBoost(
    unwrap(
      parseStudy({
        name: "audit",
        table: "records",
        analysis: "boosted-trees",
        features: [number("a"), { name: "b", type: "categorical", levels: ["x", "y", "z"] }, number("c")],
        label: { name: "sick", levels: ["no", "yes"] },
        privacy,
        participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
        parameters: { ...parameters, bins: 4, featuresPerNode: 2, evaluation: { heldOut: 0.5, share: 0.1 } },
      }),
    ),
  );
}

function blockOf(rows: readonly Row[]): ColumnBlock {
  return {
    rows: rows.length,
    columns: [0, 1, 2].map((j) => Float64Array.from(rows, ({ values }) => values[j]!)),
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}

async function vectorOf(
  study: HistBoostStudy,
  id: StageId,
  rows: readonly Row[],
  broadcasts: Broadcasts,
): Promise<Integers> {
  const vector = await histBoostVector(study, id, {
    broadcasts,
    blocks: streamed([blockOf(rows)]),
    kernels,
    random: osRandom,
  });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

const askedAfter = (study: HistBoostStudy, published: readonly Integers[]) =>
  broadcastsAfter(published, (conversation) => histBoostConversation({ study, conversation }));
const noiseOf = (study: HistBoostStudy, id: StageId) =>
  plannedNoise(planHistBoost(studyOnRoster(study, 8)), id);

function mechanismOf(study: HistBoostStudy): SumMechanism {
  const stages = planHistBoost(study).stages.map(({ id }, index): AuditedStage => {
    // Both neighbours are asked after the same sums.
    let last: { readonly key: Integers | undefined; readonly broadcasts: Broadcasts } | null = null;
    return {
      id,
      async vector(table, published) {
        const key = published[index - 1];
        if (last === null || last.key !== key) last = { key, broadcasts: await askedAfter(study, published) };
        return vectorOf(
          study,
          id,
          table.map((record) => domain[record]!),
          last.broadcasts,
        );
      },
      noise: noiseOf(study, id),
      // Of each pair of rows that differ in the label alone, one is not right, hence of weight 1.
      attained: true,
    };
  });
  return { records: domain.length, tableRecords: 3, stages };
}

const grown = (mode: "real" | "discrete"): SoundMethod => ({
  kind: "sound",
  name: `dp-histboost, ${mode}`,
  claim: { ...privacy, relation: "add-remove" },
  mechanism: mechanismOf(studyOf({ trees: 2, depth: 2, mode })),
});

/** Trees that an aggregator made up: the bound must hold whatever it tells the sites. */
const toldStudy = studyOf({ trees: 2, depth: 1, mode: "real" });
const toldStages = histBoostLayout(toldStudy).stages;
const levelStage = toldStages[2]!;
const leafStage = toldStages[3]!;
const told: Broadcasts = new Map<StageId, Broadcast>([
  [toldStages[1]!.id, { [histBoostNames.splits]: Float64Array.of(0, 1) }],
  [levelStage.id, { [histBoostNames.leaves]: Float64Array.of(-0.75, 1.5) }],
  [leafStage.id, { [histBoostNames.splits]: Float64Array.of(1, 2) }],
]);

function costOf(id: StageId): typeof privacy {
  const { cost } = planHistBoost(toldStudy).stages.find((one) => one.id === id)!.disclosure;
  return { epsilon: Math.ceil(cost!.epsilon * 1e4) / 1e4, delta: cost!.delta };
}

function toldMechanism(
  id: StageId,
  vector: (rows: readonly Row[]) => Promise<Integers>,
  attained: boolean,
  noise: StageNoise = noiseOf(toldStudy, id),
): SumMechanism {
  return {
    records: domain.length,
    tableRecords: 4,
    stages: [{ id, vector: (table) => vector(table.map((r) => domain[r]!)), noise, attained }],
  };
}

/** One stage, which has a part of the study's budget. */
const toldTrees = (id: StageId, name: string): SoundMethod => ({
  kind: "sound",
  name: `dp-histboost, ${name} of trees made up`,
  claim: { ...costOf(id), relation: "add-remove" },
  mechanism: toldMechanism(id, (rows) => vectorOf(toldStudy, id, rows, told), true),
});

export const histBoost: readonly SoundMethod[] = [
  grown("real"),
  grown("discrete"),
  toldTrees(levelStage.id, "a level"),
  toldTrees(leafStage.id, "leaves"),
];

const mutated = (
  name: string,
  id: StageId,
  vector: (rows: readonly Row[]) => Promise<Integers>,
  noise?: StageNoise,
): Mutation => ({
  kind: "mutation",
  name: `dp-histboost: ${name}`,
  mechanism: toldMechanism(id, vector, false, noise),
});

/** The level's histogram with weights that a function of all rows' weights made. */
async function reweighed(
  rows: readonly Row[],
  change: (weights: Float64Array) => Float64Array,
): Promise<Integers> {
  const { scale } = soundSum(toldStudy, leafStage);
  const block = blockOf(rows);
  const grownTrees = {
    finished: [{ levels: [[{ feature: 0, cut: 1 }]], leaves: Float64Array.of(-0.75, 1.5) }],
    levels: [[{ feature: 1, cut: 2 }]],
  };
  const { nodeOfRecord, weightOfRecord } = weighing(toldStudy, grownTrees);
  const records = rows.map(({ values, label }) => ({ values: Float64Array.from(values), label, draw: -1 }));
  const nodes = records.map(nodeOfRecord);
  const weights = Float64Array.from(records, weightOfRecord);
  const sums = new Float64Array(leafStage.length);
  change(weights).forEach((weight, r) => {
    sums[nodes[r]! * 2 + block.labels![r]!]! += weight;
  });
  return BigInt64Array.from(sums, (sum) => BigInt(Math.round(sum) * scale));
}

export const histBoostMutations: readonly Mutation[] = [
  mutated("AdaBoost's weights, normalised over all rows", leafStage.id, (rows) =>
    reweighed(rows, (weights) => {
      const mean = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length);
      return weights.map((weight) => (weight * 16) / Math.max(mean, 1));
    }),
  ),
  mutated("rows weighed by their place in the table", leafStage.id, (rows) =>
    reweighed(rows, (weights) => weights.map((weight, r) => Math.min(16, weight * (r + 1)))),
  ),
  mutated("the first two rows of a table of more left out", leafStage.id, (rows) =>
    vectorOf(toldStudy, leafStage.id, rows.slice(rows.length > 2 ? 2 : 0), told),
  ),
  mutated(
    "a level's features not counted in its sensitivity",
    levelStage.id,
    (rows) => vectorOf(toldStudy, levelStage.id, rows, told),
    {
      ...noiseOf(toldStudy, levelStage.id),
      event: {
        ...noiseOf(toldStudy, levelStage.id).event,
        l2SensitivitySquared: noiseOf(toldStudy, leafStage.id).event.l2SensitivitySquared,
      },
    },
  ),
  mutated("a row counted in both classes", leafStage.id, (rows) =>
    vectorOf(
      toldStudy,
      leafStage.id,
      rows.flatMap((row) => [row, { ...row, label: 1 - row.label }]),
      told,
    ),
  ),
];
