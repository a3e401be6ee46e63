import type { SiteId, StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { planStudy, type StageNoise } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { asCounts, countsLayout } from "@consilium/methods/counts/study";
import { partsOf, rootBits } from "@consilium/methods/describe/numbers";
import { asDescribe, describeLayout } from "@consilium/methods/describe/study";
import { type TestRow, tableBlock, tableStudy } from "@consilium/methods/testing/describe";
import { siteVector } from "@consilium/methods/testing/families";
import { osRandom } from "@consilium/runtime/random";
import { plannedNoise } from "../askedBroadcasts.js";
import type { Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** describe and counts: an age in three intervals, with its moments and small cells, a category, both with missing values, and a label of two levels. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };
const site = "site-001" as SiteId;

const common = {
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, edges: [30, 60] },
    { name: "sex", type: "categorical", levels: ["f", "m"] },
  ],
  privacy,
};

/** Every cell of the two-way table, in both groups: those of a missing age once. An age of 0 reaches all bounds. */
const domain: readonly TestRow[] = [0, 45, 90, null].flatMap((age) =>
  (age === null ? ([null] as const) : (["f", "m"] as const)).flatMap((sex) =>
    ([0, 1] as const).map((ill) => ({ age, sex, ill })),
  ),
);

const described = tableStudy(asDescribe, { ...common, parameters: { tables: [["age", "sex"]] } });
const counted = tableStudy(asCounts, {
  ...common,
  method: "counts",
  parameters: {
    conditions: [
      { name: "all", all: [] },
      { name: "old", all: [{ column: "age", atLeast: 60 }] },
      { name: "women", all: [{ column: "sex", in: ["f"] }] },
    ],
  },
});

async function vectorOf(study: Study, id: StageId, table: readonly number[]): Promise<Integers> {
  const blocks = streamed([tableBlock(table.map((record) => domain[record]!))]);
  const input = { site, sites: 3, broadcasts: new Map(), blocks, kernels, random: osRandom };
  const vector = await siteVector(study, id, input);
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

const noiseOf = (study: Study, id: StageId) => plannedNoise(planStudy(study), id);

const mechanismOf = (study: Study, id: StageId, attained = true, noise?: StageNoise): SumMechanism => ({
  records: domain.length,
  // A record of describe changes all small cells of a run.
  runs: study.method === "describe" ? 1 / 10 : 1,
  tableRecords: 3,
  stages: [
    { id, vector: (table) => vectorOf(study, id, table), noise: noise ?? noiseOf(study, id), attained },
  ],
});

const claim = { ...privacy, relation: "add-remove" } as const;
const describeStage = describeLayout(described).stage;
const countsStage = countsLayout(counted).stage;

export const descriptions: readonly SoundMethod[] = [
  { kind: "sound", name: "describe", claim, mechanism: mechanismOf(described, describeStage.id) },
  { kind: "sound", name: "counts", claim, mechanism: mechanismOf(counted, countsStage.id) },
];

function withBound(study: Study, id: StageId, l2SensitivitySquared: number): StageNoise {
  const noise = noiseOf(study, id);
  return { ...noise, event: { ...noise.event, l2SensitivitySquared } };
}

const scaled = (study: Study, stage: typeof describeStage, squares: number) =>
  squares * soundSum(study, stage).scale ** 2;

function boundWithoutRoot(): number {
  const { marginals, numbers } = describeLayout(described);
  const parts = partsOf(numbers[0]!.unit);
  const flat = [...marginals.map(({ weight }) => weight), parts.sum, parts.squares];
  return [...flat, parts.cell * 2 ** rootBits].reduce((sum, most) => sum + most ** 2, 0);
}

export const descriptionMutations: readonly Mutation[] = [
  {
    kind: "mutation",
    name: "describe: the bound of small cells without their root",
    mechanism: mechanismOf(
      described,
      describeStage.id,
      false,
      withBound(described, describeStage.id, scaled(described, describeStage, boundWithoutRoot())),
    ),
  },
  {
    kind: "mutation",
    name: "counts: the bound of conditions of which a record meets one",
    mechanism: mechanismOf(
      counted,
      countsStage.id,
      false,
      withBound(counted, countsStage.id, scaled(counted, countsStage, 1)),
    ),
  },
];
