import type { StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { StageNoise } from "@consilium/core/study/plan";
import { ballNames } from "@consilium/methods/dp-pca/ball";
import { toldBall } from "@consilium/methods/dp-pca/chosenBall";
import { dpPcaConversation } from "@consilium/methods/dp-pca/conversation";
import {
  asDpPca,
  type DpPcaForm,
  type DpPcaStage,
  type DpPcaStudy,
  directionsName,
  dpPcaLayout,
  planDpPca,
} from "@consilium/methods/dp-pca/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { dpPcaVector } from "@consilium/methods/testing/vectors";
import { osRandom } from "@consilium/runtime/random";
import type { AuditedStage, Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** dp-pca in its three forms, and with a ball that is chosen: two columns, two classes, one component. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };

interface Row {
  readonly values: readonly [number, number];
  readonly label: number;
}

/** About the centre ½ with radius ½: on the sphere, beyond it, inside, in the middle; in either class. */
const domain: readonly Row[] = [
  { values: [0, 0.5], label: 0 },
  { values: [0, 0.5], label: 1 },
  { values: [0.5, 1], label: 1 },
  { values: [0.9, 0.9], label: 0 },
  { values: [0.9, 0.1], label: 1 },
  { values: [0, 0], label: 0 },
  { values: [0.4, 0.7], label: 0 },
  { values: [0.5, 0.5], label: 1 },
];

function studyOf(
  form: DpPcaForm,
  parameters: { readonly centre?: number[]; readonly ball?: "private" } = {},
): DpPcaStudy {
  const column = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });
  return asDpPca(
    unwrap(
      parseStudy({
        name: "audit",
        table: "records",
        analysis: "pca",
        variant: "sound",
        method: "dp-pca",
        features: [column("a"), column("b")],
        label: { name: "y", levels: ["no", "yes"] },
        privacy,
        // So many rows make the grid the finest there is, and a site's buffers small.
        participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
        parameters: {
          components: 1,
          form,
          centre: parameters.centre ?? 0.5,
          radius: 0.5,
          ball: parameters.ball ?? "declared",
          ...(form === "iteration" ? { iterations: 2 } : {}),
        },
      }),
    ),
  );
}

function blockOf(rows: readonly Row[]): ColumnBlock {
  const column = (j: 0 | 1) => Float64Array.from(rows, ({ values }) => values[j]);
  return {
    rows: rows.length,
    columns: [column(0), column(1)],
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}

async function vectorOf(
  study: DpPcaStudy,
  stage: DpPcaStage,
  rows: readonly Row[],
  broadcasts: Broadcasts,
): Promise<Integers> {
  const blocks = streamed([blockOf(rows)]);
  const directions = broadcasts.get(stage.id)?.[directionsName] ?? null;
  const ball = toldBall(dpPcaLayout(study), stage, broadcasts);
  const vector = await dpPcaVector({ study, stage, blocks, directions, ball, kernels, random: osRandom });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

const nothing: Broadcasts = new Map();

/** Ends a conversation at the stage whose broadcast was sought. */
class Reached extends Error {}

/** What the aggregator's own program broadcasts up to the stage after these sums. */
async function broadcastsAfter(study: DpPcaStudy, published: readonly Integers[]): Promise<Broadcasts> {
  let next = 0;
  const broadcasts = new Map<StageId, Broadcast>();
  try {
    await dpPcaConversation({
      study,
      kernels,
      seed: "audit",
      async sum(stage, broadcast) {
        broadcasts.set(stage.id, broadcast);
        const sum = published[next++];
        if (sum !== undefined) return new BigUint64Array(sum.slice().buffer);
        throw new Reached();
      },
    });
  } catch (thrown) {
    if (!(thrown instanceof Reached)) throw thrown;
  }
  return broadcasts;
}

function noiseOf(study: DpPcaStudy, stage: DpPcaStage): StageNoise {
  const planned = planDpPca(study).stages.find((one) => one.id === stage.id);
  if (planned?.kind !== "sum" || planned.noise === null)
    throw new RangeError(`stage ${stage.id} has no noise`);
  return planned.noise;
}

function mechanismOf(study: DpPcaStudy): SumMechanism {
  const stages = dpPcaLayout(study).stages.map((stage, index): AuditedStage => {
    // Both neighbours are asked after the same sums.
    let last: { readonly key: Integers | undefined; readonly broadcasts: Broadcasts } | null = null;
    return {
      id: stage.id,
      async vector(table, published) {
        const key = published[index - 1];
        if (last === null || last.key !== key) {
          last = { key, broadcasts: await broadcastsAfter(study, published.slice(0, index)) };
        }
        const rows = table.map((record) => domain[record]!);
        return vectorOf(study, stage, rows, last.broadcasts);
      },
      noise: noiseOf(study, stage),
      // A whole row on the sphere has the length that is stated; a reduced one only where its direction is a record's.
      attained: !stage.directed && stage.about !== "chosen",
    };
  });
  return { records: domain.length, tableRecords: 4, stages };
}

const soundForm = (form: DpPcaForm, ball?: "private"): SoundMethod => ({
  kind: "sound",
  name: `dp-pca, ${form}${ball === undefined ? "" : ", ball chosen"}`,
  claim: { ...privacy, relation: "add-remove" },
  mechanism: mechanismOf(studyOf(form, ball && { ball })),
});

export const dpPca: readonly SoundMethod[] = [
  soundForm("one-round"),
  soundForm("two-round"),
  soundForm("iteration"),
  soundForm("one-round", "private"),
];

/** One stage of dp-pca with its own noise and something wrong in its vector or its stated sensitivity. */
function mutated(
  name: string,
  form: DpPcaForm,
  stageIndex: number,
  change: {
    readonly ball?: "private";
    readonly vector?: (rows: readonly Row[], study: DpPcaStudy, stage: DpPcaStage) => Promise<Integers>;
    readonly noise?: (noise: StageNoise, study: DpPcaStudy) => StageNoise;
  },
): Mutation {
  const study = studyOf(form, change.ball && { ball: change.ball });
  const stage = dpPcaLayout(study).stages[stageIndex]!;
  const vector = change.vector ?? ((rows) => vectorOf(study, stage, rows, nothing));
  const noise = noiseOf(study, stage);
  return {
    kind: "mutation",
    name: `dp-pca: ${name}`,
    mechanism: {
      records: domain.length,
      tableRecords: 3,
      stages: [
        {
          id: stage.id,
          vector: (table) =>
            vector(
              table.map((record) => domain[record]!),
              study,
              stage,
            ),
          noise: change.noise?.(noise, study) ?? noise,
          attained: false,
        },
      ],
    },
  };
}

function meanOf(rows: readonly Row[]): [number, number] {
  if (rows.length === 0) return [0.5, 0.5];
  const mean = (j: 0 | 1) => rows.reduce((sum, { values }) => sum + values[j], 0) / rows.length;
  return [mean(0), mean(1)];
}

/** As broadcasts have them. */
function onGrid(values: readonly number[]): Float64Array {
  return Float64Array.from(values, (value) => Math.round(value * 2 ** 24) / 2 ** 24);
}

/** The leading direction of the rows about ½, without noise, on the grid of broadcasts. */
function ownDirection(rows: readonly Row[]): Float64Array {
  const [xx, xy, yy] = rows.reduce(
    ([a, b, c], { values: [x, y] }) => [a + (x - 0.5) ** 2, b + (x - 0.5) * (y - 0.5), c + (y - 0.5) ** 2],
    [0, 0, 0],
  );
  const angle = Math.atan2(2 * xy!, xx! - yy!) / 2;
  return onGrid([Math.cos(angle), Math.sin(angle)]);
}

/** Products of the rows' real coordinates, added up, then rounded: the vector of one class block. */
function roundedProducts(rows: readonly Row[], study: DpPcaStudy): number[] {
  const layout = dpPcaLayout(study);
  const unit = 2 ** layout.gridExponent;
  const sums = new Array<number>(6).fill(0);
  for (const { values } of rows) {
    const centred = values.map((value) => (value - 0.5) / layout.declared.radius);
    const factor = unit / Math.max(1, Math.hypot(...centred));
    const [a, b, c] = [centred[0]! * factor, centred[1]! * factor, layout.kappaUnits];
    [a * a, a * b, a * c, b * b, b * c, c * c].forEach((product, p) => {
      sums[p]! += product;
    });
  }
  return sums.map(Math.round);
}

export const dpPcaMutations: readonly Mutation[] = [
  mutated("rows centred by the table's own mean", "one-round", 0, {
    vector: (rows, _, stage) =>
      vectorOf(studyOf("one-round", { centre: meanOf(rows) }), stage, rows, nothing),
  }),
  mutated("rows reduced by the table's own direction", "two-round", 1, {
    vector: (rows, study, stage) =>
      vectorOf(study, stage, rows, new Map([[stage.id, { [directionsName]: ownDirection(rows) }]])),
  }),
  mutated("the site's products rounded instead of each row's coordinates", "one-round", 0, {
    async vector(rows, study) {
      const blocks = [0, 1].flatMap((label) =>
        roundedProducts(
          rows.filter((row) => row.label === label),
          study,
        ),
      );
      return BigInt64Array.from(blocks, BigInt);
    },
  }),
  mutated("the coordinate that counts rows left out of the sensitivity", "one-round", 0, {
    noise: (noise, study) => ({
      ...noise,
      event: { ...noise.event, l2SensitivitySquared: 16 ** dpPcaLayout(study).gridExponent },
    }),
  }),
  mutated("a row counted in both classes", "one-round", 0, {
    async vector(rows, study, stage) {
      return vectorOf(
        study,
        stage,
        rows.flatMap((row) => [row, { ...row, label: 1 - row.label }]),
        nothing,
      );
    },
  }),
  mutated("distances taken to the table's own mean", "one-round", 1, {
    ball: "private",
    vector: (rows, study, stage) =>
      vectorOf(study, stage, rows, new Map([[stage.id, { [ballNames.centre]: onGrid(meanOf(rows)) }]])),
  }),
];
