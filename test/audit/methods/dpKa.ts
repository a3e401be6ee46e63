import type { StageId } from "@consilium/core/ids";
import { heldOutRows } from "@consilium/core/learning/heldOut";
import { simulatedSite, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { cutsName, evaluationStageId, scoreBins } from "@consilium/core/study/evaluation";
import type { StageNoise } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import { dpKaEndings, worstStoppedDelta } from "@consilium/core/testing/privacy/stopping";
import { histogramStageId, logOddsName } from "@consilium/methods/dp-ka/order";
import {
  type DpKaStudy,
  dpKaLayout,
  dpKaStageIds,
  dpKaStages,
  planDpKa,
} from "@consilium/methods/dp-ka/study";
import {
  candidateName,
  encodeFeatures,
  selectedName,
} from "@consilium/methods/shared/k-anonymous/candidates";
import { leavesName, secondOrderStageId, splitsName } from "@consilium/methods/shared/trees/secondOrder";
import { asKAnonymous, siteVector } from "@consilium/methods/testing/families";
import { parseStudy } from "@consilium/methods/testing/studies";
import { osRandom } from "@consilium/runtime/random";
import type {
  AuditedStage,
  Integers,
  Mutation,
  SoundMethod,
  StoppedMethod,
  SumMechanism,
} from "../auditedMethod.js";

/** dp-ka: a number in three intervals and two categories, every stage that a run can ask for. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };

interface Row {
  readonly values: readonly [number, number, number];
  readonly label: number;
}

const domain: readonly Row[] = [
  { values: [0.1, 0, 0], label: 0 },
  { values: [0.1, 0, 0], label: 1 },
  { values: [0.5, 1, 2], label: 1 },
  { values: [0.5, 0, 2], label: 0 },
  { values: [0.9, 1, 1], label: 0 },
  { values: [0.9, 0, 1], label: 1 },
];

const studyBy = (order: "boosting" | "histogram") =>
  asKAnonymous(
    unwrap(
      parseStudy({
        name: "audit",
        table: "records",
        analysis: "k-anonymous-selection",
        features: [
          { name: "a", type: "numeric", min: 0, max: 1, edges: [0.3, 0.7] },
          { name: "b", type: "categorical", levels: ["x", "y"] },
          { name: "c", type: "categorical", levels: ["p", "q", "r"] },
        ],
        label: { name: "sick", levels: ["no", "yes"] },
        privacy,
        participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
        parameters: {
          k: 2,
          trees: 1,
          depth: 2,
          maxCells: 18,
          evaluation: { heldOut: 0.5 },
          seed: "audit",
          order,
        },
      }),
    ),
  ) as DpKaStudy;
const study = studyBy("boosting");
const histogramStudy = studyBy("histogram");

function blockOf(rows: readonly Row[]): ColumnBlock {
  return {
    rows: rows.length,
    columns: [0, 1, 2].map((j) => Float64Array.from(rows, ({ values }) => values[j]!)),
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}

async function vectorOf(
  id: StageId,
  rows: readonly Row[],
  broadcasts: Broadcasts,
  of: DpKaStudy = study,
): Promise<Integers> {
  const vector = await siteVector(of, id, {
    site: simulatedSite(0),
    sites: 3,
    broadcasts,
    blocks: streamed([blockOf(rows)]),
    kernels,
    random: osRandom,
  });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

/** A pass, and a tree, that the aggregator made up, with all features tested: the bound must hold whatever it tells. */
const madeUp = new Map<StageId, Broadcast>([
  [dpKaStageIds.test(0), { [candidateName]: encodeFeatures([2], 3) }],
  [dpKaStageIds.test(1), { [candidateName]: encodeFeatures([0, 2], 3) }],
  [dpKaStageIds.table, { [selectedName]: encodeFeatures([0, 1, 2], 3) }],
  [dpKaStageIds.test(2), { [candidateName]: encodeFeatures([0, 1, 2], 3) }],
  [secondOrderStageId(0, 1), { [splitsName]: Float64Array.of(2, 0) }],
  [
    evaluationStageId,
    {
      [splitsName]: Float64Array.of(0, 0, 1, 0),
      [leavesName]: Float64Array.of(-0.5, 0.25, 0.5, 0.75),
      [cutsName]: Float64Array.from({ length: scoreBins - 1 }, (_, i) => (i - 9) / 10),
      // The base, then three bins, two and three.
      [logOddsName]: Float64Array.of(-0.5, 0.25, 0.5, 0.75, -0.25, 0.125, 0, 0.5, -0.5),
    },
  ],
]);

function noiseOf(id: StageId, of: DpKaStudy = study): StageNoise {
  const planned = planDpKa(of).stages.find((one) => one.id === id);
  if (planned?.kind !== "sum" || planned.noise === null) throw new RangeError(`stage ${id} has no noise`);
  return planned.noise;
}

/** Every stage after broadcasts that were made up. */
function mechanism(of: DpKaStudy): SumMechanism {
  const stages = planDpKa(of).stages.map(
    ({ id }): AuditedStage => ({
      id,
      vector: (table) => vectorOf(id, rowsOf(table), madeUp, of),
      noise: noiseOf(id, of),
      // In the first tree every record's (g, h) is (±½, ¼).
      attained: true,
    }),
  );
  return { records: domain.length, tableRecords: 3, stages };
}

const rowsOf = (table: readonly number[]) => table.map((record) => domain[record]!);

export const dpKa: readonly SoundMethod[] = [
  {
    kind: "sound",
    name: "dp-ka",
    claim: { ...privacy, relation: "add-remove" },
    mechanism: mechanism(study),
  },
  {
    kind: "sound",
    name: "dp-ka, ordered by one histogram",
    claim: { ...privacy, relation: "add-remove" },
    mechanism: mechanism(histogramStudy),
  },
];

function mutated(
  name: string,
  id: StageId,
  vector: (rows: readonly Row[]) => Promise<Integers>,
  noise: StageNoise = noiseOf(id),
): Mutation {
  return {
    kind: "mutation",
    name: `dp-ka: ${name}`,
    mechanism: {
      records: domain.length,
      tableRecords: 4,
      stages: [{ id, vector: (table) => vector(rowsOf(table)), noise, attained: false }],
    },
  };
}

const histogramNoise = () => noiseOf(histogramStageId, histogramStudy);
const histogramScale = () => soundSum(histogramStudy, dpKaLayout(histogramStudy).histogram!).scale;
const scaleOf = (id: StageId) => soundSum(study, dpKaStages(study).find((stage) => stage.id === id)!).scale;

export const dpKaMutations: readonly Mutation[] = [
  mutated("one histogram for each feature at the price of one", dpKaStageIds.test(2), async (rows) => {
    const counts = new BigInt64Array(18);
    for (const { values } of rows) {
      for (const cell of [Math.floor(values[0] * 3), 3 + values[1], 5 + values[2]])
        counts[cell]! += BigInt(scaleOf(dpKaStageIds.test(2)));
    }
    return counts;
  }),
  mutated("cells below K left out at the site", dpKaStageIds.table, async (rows) => {
    const counts = await vectorOf(dpKaStageIds.table, rows, madeUp);
    const least = BigInt(study.parameters.k * scaleOf(dpKaStageIds.table));
    return counts.map((count) => (count < least ? 0n : count));
  }),
  mutated("the test's answer in place of its histogram", dpKaStageIds.count, async (rows) => {
    const sizes = new Map<string, number>();
    for (const { values } of rows) sizes.set(values.join(), (sizes.get(values.join()) ?? 0) + 1);
    // Records in groups below K: one record moves K - 1 others.
    const small = [...sizes.values()].filter((size) => size < 3).reduce((sum, size) => sum + size, 0);
    return BigInt64Array.of(BigInt(small * scaleOf(dpKaStageIds.count)));
  }),
  mutated("held-out rows by the mean of the table's own other rows", evaluationStageId, async (rows) => {
    const held = heldOutRows(blockOf(rows), 0.5, study.parameters.seed);
    const trained = rows.filter((_, r) => held[r] === 0);
    const mean = trained.reduce((sum, { label }) => sum + label, 0) / Math.max(1, trained.length);
    const counts = new BigInt64Array(2 * scoreBins);
    rows.forEach(({ label }, r) => {
      const bin = Math.min(scoreBins - 1, Math.floor(mean * scoreBins));
      if (held[r] === 1) counts[2 * bin + label]! += BigInt(scaleOf(evaluationStageId));
    });
    return counts;
  }),
  mutated(
    "a histogram of every feature at the price of one count",
    histogramStageId,
    (rows) => vectorOf(histogramStageId, rows, madeUp, histogramStudy),
    {
      ...histogramNoise(),
      event: { ...histogramNoise().event, l2SensitivitySquared: histogramScale() ** 2 },
    },
  ),
  mutated("a table by row", dpKaStageIds.table, async (rows) => {
    const counts = new BigInt64Array(36);
    rows.forEach((_, r) => {
      counts[r % 36]! += BigInt(scaleOf(dpKaStageIds.table) * (r + 1));
    });
    return counts;
  }),
];

/** So many features, and so much of the budget for their tests, as the schema allows: most to gain by ending them early. */
const stoppedFeatures = 100;
const stoppedPlan = () =>
  planDpKa(
    asKAnonymous(
      unwrap(
        parseStudy({
          name: "stopped",
          table: "records",
          analysis: "k-anonymous-selection",
          features: Array.from({ length: stoppedFeatures }, (_, f) => ({
            name: `x${f}`,
            type: "numeric",
            min: 0,
            max: 1,
          })),
          label: { name: "sick", levels: ["no", "yes"] },
          privacy,
          participation: { minimumSites: 3, maxRowsPerSite: 10_000_000 },
          parameters: {
            k: 2,
            bins: 2,
            maxCells: 64,
            order: "histogram",
            budget: { importance: 0.01, count: 0.01, tests: 0.96, table: 0.01 },
            evaluation: { share: 0.01 },
          },
        }),
      ),
    ) as DpKaStudy,
  );

export const dpKaStopped: StoppedMethod = {
  kind: "stopped",
  name: "dp-ka, whatever ends its tests",
  claim: { ...privacy, relation: "add-remove" },
  worstDelta: (statement) => worstStoppedDelta(dpKaEndings(stoppedPlan(), statement)),
};
