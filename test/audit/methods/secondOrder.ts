import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { StageNoise } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import { binnedFeatures } from "@consilium/methods/shared/columns/binning";
import {
  leafMost,
  leavesName,
  type SecondOrderSettings,
  type SecondOrderStage,
  secondOrderSettings,
  secondOrderStages,
  splitsName,
} from "@consilium/methods/shared/trees/secondOrder";
import { wholeTable } from "@consilium/methods/shared/trees/secondOrderContributor";
import { secondOrderConversation } from "@consilium/methods/shared/trees/secondOrderConversation";
import { parseStudy } from "@consilium/methods/testing/studies";
import { noisySecondOrderVector } from "@consilium/methods/testing/vectors";
import { osRandom } from "@consilium/runtime/random";
import type { AuditedStage, Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** Noisy second-order boosting by itself: a number of two bins, a category of two levels, two trees of two levels. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };

// Of the study only columns, privacy and sites count here.
const study = unwrap(
  parseStudy({
    name: "audit",
    table: "records",
    analysis: "pca",
    variant: "sound",
    features: [
      { name: "x", type: "numeric", min: 0, max: 1, edges: [0.5] },
      { name: "c", type: "categorical", levels: ["a", "b"] },
    ],
    label: { name: "y", levels: ["no", "yes"] },
    privacy,
    participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
    parameters: { components: 1 },
  }),
);

/** A model that is nearly sure of `yes`: a record of `no` has nearly length 1. */
const sure = 1 - 2 ** -14;

const settings = secondOrderSettings({
  features: binnedFeatures(study.features, 2),
  positive: 1,
  trees: 2,
  depth: 2,
  eta: 0.3,
  lambda: 1,
  gamma: 0,
  minChildWeight: 1,
  baseScore: sure,
  sums: "noisy",
  records: 300_000,
});

interface Row {
  readonly values: readonly [number, number];
  readonly label: number;
}

/** Every cell of the table. */
const domain: readonly Row[] = [0, 1].flatMap((x) =>
  [0, 1].flatMap((c) => [0, 1].map((label): Row => ({ values: [x, c], label }))),
);

const blockOf = (rows: readonly Row[]): ColumnBlock => ({
  rows: rows.length,
  columns: [0, 1].map((j) => Float64Array.from(rows, ({ values }) => values[j]!)),
  labels: Uint16Array.from(rows, ({ label }) => label),
});

async function vectorOf(
  stage: SecondOrderStage,
  rows: readonly Row[],
  broadcasts: Broadcasts,
  own: SecondOrderSettings = settings,
) {
  const blocks = streamed([blockOf(rows)]);
  const input = { blocks, kernels, random: osRandom };
  const vector = await noisySecondOrderVector({
    study,
    settings: own,
    stage,
    broadcasts,
    training: wholeTable,
    input,
  });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

/**
 * Tables of a few records split nothing, and then later stages are zeros. So to what they publish comes what very many
 * records would: whatever is published is as good, as long as it is the same for both neighbours.
 */
const crowd: readonly Row[] = [
  { values: [0, 0], label: 0 },
  { values: [0, 1], label: 1 },
  { values: [1, 0], label: 1 },
  { values: [1, 1], label: 1 },
];
const crowdSize = 10n ** 8n;

/** Ends a conversation at the stage whose broadcast was sought. */
class Reached extends Error {}

/** What the aggregator's own program has broadcast at the stage after these sums. */
async function toldAfter(
  stages: readonly SecondOrderStage[],
  published: readonly Integers[],
): Promise<Broadcasts> {
  const told = new Map<SecondOrderStage["id"], Broadcast>();
  try {
    await secondOrderConversation({
      settings,
      stages,
      stdDev: () => 0,
      async sum(stage, broadcast) {
        const sum = published[told.size];
        told.set(stage.id, broadcast);
        if (sum === undefined) throw new Reached();
        const many = await vectorOf(stage as SecondOrderStage, crowd, told);
        return Float64Array.from(sum, (value, i) => Number(value + crowdSize * many[i]!));
      },
    });
  } catch (thrown) {
    if (!(thrown instanceof Reached)) throw thrown;
  }
  return told;
}

function noiseOf(stage: SecondOrderStage): StageNoise {
  const { noise, scale } = soundSum(study, stage);
  if (noise === null || scale !== 1) throw new RangeError(`stage ${stage.id} is not as the audit takes it`);
  return noise;
}

const stages = secondOrderStages(settings, 1);

const mechanism: SumMechanism = {
  records: domain.length,
  tableRecords: 4,
  stages: stages.map((stage, index): AuditedStage => {
    let last: { readonly key: Integers | undefined; readonly told: Broadcasts } | null = null;
    return {
      id: stage.id,
      async vector(table, published) {
        const key = published[index - 1];
        if (last === null || last.key !== key)
          last = { key, told: await toldAfter(stages, published.slice(0, index)) };
        return vectorOf(
          stage,
          table.map((record) => domain[record]!),
          last.told,
        );
      },
      noise: noiseOf(stage),
      attained: true,
    };
  }),
};

export const secondOrder: readonly SoundMethod[] = [
  { kind: "sound", name: "second-order boosting", claim: { ...privacy, relation: "add-remove" }, mechanism },
];

/** The first stage, its bins in the product's order, with something wrong in it. */
function mutated(
  name: string,
  change: {
    readonly vector?: (rows: readonly Row[]) => Integers;
    readonly settings?: SecondOrderSettings;
    readonly noise?: (noise: StageNoise) => StageNoise;
  },
): Mutation {
  const [stage] = secondOrderStages(change.settings ?? settings, 1);
  const noise = soundSum(study, stage!).noise!;
  const vector =
    change.vector === undefined
      ? (rows: readonly Row[]) => vectorOf(stage!, rows, new Map([[stage!.id, {}]]))
      : async (rows: readonly Row[]) => change.vector!(rows);
  return {
    kind: "mutation",
    name: `second-order boosting: ${name}`,
    mechanism: {
      records: domain.length,
      tableRecords: 3,
      stages: [
        {
          id: stage!.id,
          vector: (table) => vector(table.map((record) => domain[record]!)),
          noise: change.noise?.(noise) ?? noise,
          attained: false,
        },
      ],
    },
  };
}

/** Adds a pair to bins of both features. @param bins - of a feature, given the row's own bin */
function histogram(
  rows: readonly Row[],
  pairOf: (row: Row) => readonly [number, number],
  bins: (own: number) => readonly number[] = (own) => [own],
): Integers {
  const sums = new BigInt64Array(8);
  for (const row of rows) {
    const [g, h] = pairOf(row);
    row.values.forEach((own, feature) => {
      for (const bin of bins(own)) {
        sums[4 * feature + 2 * bin]! += BigInt(g);
        sums[4 * feature + 2 * bin + 1]! += BigInt(h);
      }
    });
  }
  return sums;
}

/** (g, h) in units of 2^-k, each rounded by `round`. */
function pairAt(p: number, label: number, k: number, round: (x: number) => number): [number, number] {
  const g = p - label;
  return [Math.sign(g) * round(Math.abs(g) * 2 ** k), round(p * (1 - p) * 2 ** k)];
}

/** So coarse that a wrong rounding shows. */
const coarse: SecondOrderSettings = { ...settings, gridExponent: 3 };

/** In the first tree all margins are the base score's, and Δ is smaller for it; leaves of that tree move them. */
function secondTreeAtTheFirstsPrice(): Mutation {
  const open = secondOrderSettings({ ...settings, depth: 1, baseScore: 0.5, records: 300_000 });
  const [first, second] = secondOrderStages(open, 1);
  const most = leafMost(open);
  const told = new Map<SecondOrderStage["id"], Broadcast>([
    [first!.id, {}],
    [second!.id, { [splitsName]: Float64Array.of(0, 0), [leavesName]: Float64Array.of(-most, most) }],
  ]);
  const { noise } = soundSum(study, first!);
  return {
    kind: "mutation",
    name: "second-order boosting: the second tree at the price of the first",
    mechanism: {
      records: domain.length,
      tableRecords: 2,
      stages: [
        {
          id: second!.id,
          vector: (table) =>
            vectorOf(
              second!,
              table.map((record) => domain[record]!),
              told,
              open,
            ),
          noise: noise!,
          attained: false,
        },
      ],
    },
  };
}

export const secondOrderMutations: readonly Mutation[] = [
  mutated("derivatives rounded away from zero, their length unchecked", {
    settings: coarse,
    vector: (rows) => histogram(rows, ({ label }) => pairAt(sure, label, coarse.gridExponent, Math.ceil)),
  }),
  mutated("the base score is the table's own share of `yes`", {
    vector(rows) {
      const share = rows.reduce((sum, { label }) => sum + label, 0) / Math.max(1, rows.length);
      return histogram(rows, ({ label }) => pairAt(share, label, settings.gridExponent, Math.trunc));
    },
  }),
  mutated("a row added to its bin and all above, as if for every cut", {
    vector: (rows) =>
      histogram(
        rows,
        ({ label }) => pairAt(sure, label, settings.gridExponent, Math.trunc),
        (own) => [0, 1].filter((bin) => bin >= own),
      ),
  }),
  secondTreeAtTheFirstsPrice(),
  mutated("the sensitivity of one feature, though a row is added to all", {
    noise: (noise) => ({
      ...noise,
      event: { ...noise.event, l2SensitivitySquared: 4 ** settings.gridExponent },
    }),
  }),
];
