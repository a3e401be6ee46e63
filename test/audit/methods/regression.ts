import type { StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy, type StageNoise } from "@consilium/core/study/plan";
import { asRegression, regressionLayout } from "@consilium/methods/regression/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { regressionVector } from "@consilium/methods/testing/vectors";
import { osRandom } from "@consilium/runtime/random";
import { plannedNoise } from "../askedBroadcasts.js";
import type { Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** regression: a number and a category of three levels, stage by stage after coefficients that an aggregator made up. */

const kernels = plainKernels();
const privacy = { epsilon: 1, delta: 1e-5 };
const features = [
  { name: "x", type: "numeric", min: 0, max: 1 },
  { name: "c", type: "categorical", levels: ["a", "b", "d"] },
];
const common = {
  name: "audit",
  table: "records",
  analysis: "regression",
  privacy,
  participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 1000, expectedRows: 2000 },
};
const logistic = asRegression(
  unwrap(
    parseStudy({
      ...common,
      features,
      label: { name: "sick", levels: ["no", "yes"] },
      parameters: { steps: 3, evaluation: "none" },
    }),
  ),
);
const linear = asRegression(
  unwrap(
    parseStudy({
      ...common,
      features: [...features, { name: "y", type: "numeric", min: -1, max: 1 }],
      parameters: { family: "linear", outcome: "y" },
    }),
  ),
);

const poisson = asRegression(
  unwrap(
    parseStudy({
      ...common,
      features: [
        ...features,
        { name: "n", type: "numeric", min: 0, max: 4, below: "reject-row" },
        { name: "e", type: "numeric", min: 0.5, max: 2, below: "reject-row" },
      ],
      parameters: { family: "poisson", outcome: "n", exposure: "e", steps: 3 },
    }),
  ),
);
const cox = asRegression(
  unwrap(
    parseStudy({
      ...common,
      features: [...features, { name: "t", type: "numeric", min: 0, max: 10, below: "reject-row" }],
      label: { name: "end", levels: ["none", "death"] },
      parameters: { family: "cox", time: "t", event: "death", intervals: 2, steps: 3 },
    }),
  ),
);
const studies = { logistic, linear, poisson, cox };
type Family = keyof typeof studies;

interface Row {
  readonly values: readonly number[];
  readonly label: number;
}
/** Every corner of the columns, and a point within. */
const corners = [0, 0.4, 1].flatMap((x) => [0, 1, 2].map((c) => [x, c]));
const domains = {
  logistic: corners.flatMap((values) => [0, 1].map((label): Row => ({ values, label }))),
  linear: corners.flatMap((values) => [-1, 1].map((y): Row => ({ values: [...values, y], label: 0 }))),
  poisson: corners.flatMap((values) => [0, 4].map((n): Row => ({ values: [...values, n, 2], label: 0 }))),
  cox: corners.flatMap((values) =>
    [
      [3, 0],
      [3, 1],
      [8, 1],
    ].map(([time, label]): Row => ({ values: [...values, time!], label: label! })),
  ),
};

/** Sure of `yes`: a record of `no` has |y - p| of nearly 1. */
const sure: Broadcast = { coefficients: Float64Array.of(64, 1, 1, 1) };
/** Sure that counts are the largest, and that every event comes at once. */
const many: Broadcast = { coefficients: Float64Array.of(900, 1, 1, 1), baseline: new Float64Array(2) };
/** Sure of nothing: every record has p(1 - p) = ¼. */
const open: Broadcast = { coefficients: new Float64Array(4) };

async function vectorOf(
  family: Family,
  id: StageId,
  told: Broadcast,
  table: readonly number[],
): Promise<Integers> {
  const study = studies[family];
  const rows = table.map((record) => domains[family][record]!);
  const block: ColumnBlock = {
    rows: rows.length,
    columns: study.features.map((_, j) => Float64Array.from(rows, ({ values }) => values[j]!)),
    labels: study.label === undefined ? null : Uint16Array.from(rows, ({ label }) => label),
  };
  const broadcasts: Broadcasts = new Map([[id, told]]);
  const vector = await regressionVector(study, id, {
    broadcasts,
    blocks: streamed([block]),
    kernels,
    random: osRandom,
  });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

const noiseOf = (family: Family, id: StageId) => plannedNoise(planStudy(studies[family]), id);

function mechanismOf(
  family: Family,
  id: StageId,
  told: Broadcast,
  attained: boolean,
  noise: StageNoise = noiseOf(family, id),
): SumMechanism {
  return {
    records: domains[family].length,
    tableRecords: 3,
    stages: [{ id, vector: (table) => vectorOf(family, id, told, table), noise, attained }],
  };
}

/** What one stage costs, rounded up. */
function claimOf(family: Family, id: StageId): SoundMethod["claim"] {
  const study = studies[family];
  const { cost } = planStudy(study).stages.find((stage) => stage.id === id)!.disclosure;
  return { epsilon: Math.ceil(cost!.epsilon * 1e4) / 1e4, delta: cost!.delta, relation: "add-remove" };
}

const layout = regressionLayout(logistic);
const gram = regressionLayout(linear).gram.id;
const later = layout.gradients[1]!.id;

export const regressions: readonly SoundMethod[] = [
  // The first matrix of a logistic regression is as the information at coefficients 0, and later gradients are alike.
  ...(
    [
      [layout.gradients[0]!.id, open],
      [later, sure],
      [layout.information!.id, open],
    ] as const
  ).map(
    ([id, told]): SoundMethod => ({
      kind: "sound",
      name: `regression, ${id}`,
      claim: claimOf("logistic", id),
      mechanism: mechanismOf("logistic", id, told, true),
    }),
  ),
  ...(
    [
      ["poisson", later],
      ["poisson", layout.information!.id],
      ["cox", later],
    ] as const
  ).map(
    ([family, id]): SoundMethod => ({
      kind: "sound",
      name: `regression, ${id} of a ${family === "cox" ? "Cox" : "Poisson"} regression`,
      claim: claimOf(family, id),
      mechanism: mechanismOf(family, id, many, true),
    }),
  ),
  {
    kind: "sound",
    name: "regression, the Gram matrix with the outcome",
    claim: claimOf("linear", gram),
    mechanism: mechanismOf("linear", gram, {}, true),
  },
];

const weakened = (family: Family, id: StageId, told: Broadcast, part: number): SumMechanism => {
  const noise = noiseOf(family, id);
  const { l2SensitivitySquared } = noise.event;
  return mechanismOf(family, id, told, false, {
    ...noise,
    event: { ...noise.event, l2SensitivitySquared: Math.floor(l2SensitivitySquared * part) },
  });
};

const coxDesign = regressionLayout(cox).design;

export const regressionMutations: readonly Mutation[] = [
  {
    kind: "mutation",
    name: "regression: a Cox gradient charged without its intervals",
    mechanism: weakened(
      "cox",
      later,
      many,
      coxDesign.squaredNormLimit / (coxDesign.squaredNormLimit + 4 ** coxDesign.gridExponent),
    ),
  },
  {
    kind: "mutation",
    name: "regression: the first gradient's bound in a later one",
    mechanism: weakened("logistic", later, sure, 1 / 4),
  },
  {
    kind: "mutation",
    name: "regression: a Gram matrix charged without its outcome",
    mechanism: weakened(
      "linear",
      gram,
      {},
      (layout.design.squaredNormLimit /
        (layout.design.squaredNormLimit + 4 ** (layout.design.gridExponent - 1))) **
        2,
    ),
  },
];
