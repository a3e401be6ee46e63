import type { StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { StageNoise } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import { additiveConversation } from "@consilium/methods/dp-additive/conversation";
import {
  type AdditiveStudy,
  additiveLayout,
  asAdditive,
  curvesName,
  planAdditive,
} from "@consilium/methods/dp-additive/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { additiveVector } from "@consilium/methods/testing/vectors";
import { osRandom } from "@consilium/runtime/random";
import { broadcastsAfter, plannedNoise } from "../askedBroadcasts.js";
import type { AuditedStage, Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** dp-additive: a number in three intervals and a category of two levels. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };

interface Row {
  readonly values: readonly [number, number];
  readonly label: number;
}

/** Every cell of the table, in both classes. */
const domain: readonly Row[] = [0.1, 0.5, 0.9].flatMap((x) =>
  [0, 1].flatMap((c) => [0, 1].map((label): Row => ({ values: [x, c], label }))),
);

const study: AdditiveStudy = asAdditive(
  unwrap(
    parseStudy({
      name: "audit",
      table: "records",
      analysis: "boosted-trees",
      method: "dp-additive",
      features: [
        { name: "x", type: "numeric", min: 0, max: 1, edges: [0.3, 0.7] },
        { name: "c", type: "categorical", levels: ["a", "b"] },
      ],
      label: { name: "sick", levels: ["no", "yes"] },
      privacy,
      participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
      parameters: { epochs: 3, evaluation: { heldOut: 0.5, share: 0.1 } },
    }),
  ),
);
const { stages, offsets } = additiveLayout(study);

const blockOf = (rows: readonly Row[]): ColumnBlock => ({
  rows: rows.length,
  columns: [0, 1].map((j) => Float64Array.from(rows, ({ values }) => values[j]!)),
  labels: Uint16Array.from(rows, ({ label }) => label),
});

async function vectorOf(id: StageId, rows: readonly Row[], broadcasts: Broadcasts): Promise<Integers> {
  const blocks = streamed([blockOf(rows)]);
  const vector = await additiveVector(study, id, { broadcasts, blocks, kernels, random: osRandom });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

const askedAfter = (published: readonly Integers[]) =>
  broadcastsAfter(published, (conversation) => additiveConversation({ study, conversation }));
const noiseOf = (id: StageId) => plannedNoise(planAdditive(study), id);

const rowsOf = (table: readonly number[]) => table.map((record) => domain[record]!);

const grown: SumMechanism = {
  records: domain.length,
  tableRecords: 3,
  stages: planAdditive(study).stages.map(({ id }, index): AuditedStage => {
    // Both neighbours are asked after the same sums.
    let last: { readonly key: Integers | undefined; readonly broadcasts: Broadcasts } | null = null;
    return {
      id,
      async vector(table, published) {
        const key = published[index - 1];
        if (last === null || last.key !== key) last = { key, broadcasts: await askedAfter(published) };
        return vectorOf(id, rowsOf(table), last.broadcasts);
      },
      noise: noiseOf(id),
      // In the first epoch every record has (±½, ¼); a few records' curves are sure of nothing.
      attained: index === 0 || id === "evaluation",
    };
  }),
};

/** Curves that an aggregator made up, sure of `yes`: the bound must hold whatever it tells the sites. */
const told: Broadcasts = new Map<StageId, Broadcast>(
  stages.map(({ id }) => [id, { [curvesName]: new Float64Array(1 + offsets.at(-1)!).fill(32) }]),
);
const later = stages[1]!.id;

function toldMechanism(
  vector: (rows: readonly Row[]) => Promise<Integers>,
  attained: boolean,
  noise: StageNoise = noiseOf(later),
): SumMechanism {
  return {
    records: domain.length,
    tableRecords: 4,
    stages: [{ id: later, vector: (table) => vector(rowsOf(table)), noise, attained }],
  };
}

const { cost } = planAdditive(study).stages.find(({ id }) => id === later)!.disclosure;

export const additive: readonly SoundMethod[] = [
  { kind: "sound", name: "dp-additive", claim: { ...privacy, relation: "add-remove" }, mechanism: grown },
  {
    kind: "sound",
    name: "dp-additive, an epoch after curves made up",
    claim: { epsilon: Math.ceil(cost!.epsilon * 1e4) / 1e4, delta: cost!.delta, relation: "add-remove" },
    mechanism: toldMechanism((rows) => vectorOf(later, rows, told), true),
  },
];

const mutated = (
  name: string,
  vector: (rows: readonly Row[]) => Promise<Integers>,
  noise?: StageNoise,
): Mutation => ({
  kind: "mutation",
  name: `dp-additive: ${name}`,
  mechanism: toldMechanism(vector, false, noise),
});

const withBound = (l2SensitivitySquared: number): StageNoise => ({
  ...noiseOf(later),
  event: { ...noiseOf(later).event, l2SensitivitySquared },
});

export const additiveMutations: readonly Mutation[] = [
  mutated(
    "the first epoch's bound in a later one",
    (rows) => vectorOf(later, rows, told),
    withBound(noiseOf(stages[0]!.id).event.l2SensitivitySquared),
  ),
  mutated(
    "one feature's bound for all of them",
    (rows) => vectorOf(later, rows, told),
    withBound(noiseOf(later).event.l2SensitivitySquared / 2),
  ),
  mutated("each bin's mean gradient in place of its sum", async (rows) => {
    const sums = await vectorOf(later, rows, told);
    const { scale, noise } = soundSum(study, stages[1]!);
    if (noise === null) throw new RangeError("the stage has no noise");
    // Times a thousand rows: a bin of one row weighs as much as one of a thousand.
    return sums.map((sum) => (BigInt(scale) * 1000n * sum) / BigInt(Math.max(1, rows.length)));
  }),
];
