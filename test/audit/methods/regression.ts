import type { StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy, type StageNoise } from "@consilium/core/study/plan";
import type { SoundStage } from "@consilium/core/study/soundSums";
import { asRegression, type RegressionStudy, regressionLayout } from "@consilium/methods/regression/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { regressionVector } from "@consilium/methods/testing/vectors";
import { osRandom } from "@consilium/runtime/random";
import { plannedNoise } from "../askedBroadcasts.js";
import type { Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** regression: a number and a category of three levels, stage by stage after coefficients that an aggregator made up. */

const kernels = plainKernels();
// So much that even what the first sum has of it can be told apart.
const privacy = { epsilon: 3, delta: 1e-5 };
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

const poissonOf = (parameters: Record<string, unknown>) =>
  asRegression(
    unwrap(
      parseStudy({
        ...common,
        features: [
          ...features,
          { name: "n", type: "numeric", min: 0, max: 4, below: "reject-row" },
          { name: "e", type: "numeric", min: 0.5, max: 2, below: "reject-row" },
        ],
        parameters: { family: "poisson", outcome: "n", exposure: "e", steps: 3, ...parameters },
      }),
    ),
  );
const coxOf = (parameters: Record<string, unknown>) =>
  asRegression(
    unwrap(
      parseStudy({
        ...common,
        features: [...features, { name: "t", type: "numeric", min: 0, max: 10, below: "reject-row" }],
        label: { name: "end", levels: ["none", "death"] },
        parameters: { family: "cox", time: "t", event: "death", intervals: 2, steps: 3, ...parameters },
      }),
    ),
  );
const poisson = poissonOf({});
const cox = coxOf({ maxHazard: 2 });

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
      [9.99, 1],
    ].map(([time, label]): Row => ({ values: [...values, time!], label: label! })),
  ),
};
const domainOf = ({ parameters }: RegressionStudy) => domains[parameters.family];

/** Sure of `yes`: a record of `no` has |y - p| of nearly 1. */
const sure: Broadcast = { coefficients: Float64Array.of(64, 1, 1, 1) };
/** Residuals of .65: where a weight of the information beyond φ⁵ makes a record longer than its score alone. */
const between: Broadcast = { coefficients: Float64Array.of(0.625, 0, 0, 0) };
/** Of counts none is expected, or many more than the bound; every residual is cut. */
const none: Broadcast = { coefficients: Float64Array.of(-900, 1, 1, 1) };
const many: Broadcast = { coefficients: Float64Array.of(900, 1, 1, 1) };
/** Every hazard is beyond its bound in the first interval. */
const soon: Broadcast = { coefficients: Float64Array.of(1, 1, 1), baseline: Float64Array.of(900, 0) };
const line: Broadcast = { coefficients: Float64Array.of(0, 0, 0, 0), residualLimit: Float64Array.of(0.25) };

async function vectorOf(
  study: RegressionStudy,
  id: StageId,
  told: Broadcast,
  table: readonly number[],
): Promise<Integers> {
  const rows = table.map((record) => domainOf(study)[record]!);
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

const noiseOf = (study: RegressionStudy, id: StageId) => plannedNoise(planStudy(study), id);

function mechanismOf(
  study: RegressionStudy,
  id: StageId,
  told: Broadcast,
  options: {
    readonly attained: boolean;
    readonly noise?: StageNoise;
    /** What a fault makes of the vector. */
    readonly changed?: (vector: Integers) => Integers;
  },
): SumMechanism {
  const { attained, noise = noiseOf(study, id), changed = (vector) => vector } = options;
  return {
    records: domainOf(study).length,
    // A fault shows at a single record.
    tableRecords: attained ? 3 : 1,
    stages: [
      { id, vector: async (table) => changed(await vectorOf(study, id, told, table)), noise, attained },
    ],
  };
}

/** What one stage costs, rounded up. */
function claimOf(study: RegressionStudy, id: StageId): SoundMethod["claim"] {
  const { cost } = planStudy(study).stages.find((stage) => stage.id === id)!.disclosure;
  return { epsilon: Math.ceil(cost!.epsilon * 1e4) / 1e4, delta: cost!.delta, relation: "add-remove" };
}

const familyNames = { logistic: "a logistic", linear: "a linear", poisson: "a Poisson", cox: "a Cox" };
const laterOf = (study: RegressionStudy) => regressionLayout(study).sums.at(-1)!;

export const regressions: readonly SoundMethod[] = (
  [
    [logistic, regressionLayout(logistic).sums[0]!, {}],
    [logistic, laterOf(logistic), sure],
    [poisson, regressionLayout(poisson).start!, {}],
    [poisson, laterOf(poisson), many],
    [cox, regressionLayout(cox).start!, {}],
    [cox, laterOf(cox), soon],
    [linear, regressionLayout(linear).gram!, {}],
    [linear, regressionLayout(linear).squares!, line],
  ] as const
).map(
  ([study, { id }, told]): SoundMethod => ({
    kind: "sound",
    name: `regression, ${id} of ${familyNames[study.parameters.family]} regression`,
    claim: claimOf(study, id),
    mechanism: mechanismOf(study, id, told, { attained: true }),
  }),
);

/** A stage that is charged for this much less than a record adds. @param charged - of the limit */
function undercharged(
  study: RegressionStudy,
  { id }: SoundStage,
  told: Broadcast,
  charged: (limit: number) => number,
): SumMechanism {
  const noise = noiseOf(study, id);
  const { l2SensitivitySquared } = noise.event;
  const event = { ...noise.event, l2SensitivitySquared: Math.floor(charged(l2SensitivitySquared)) };
  return mechanismOf(study, id, told, { attained: false, noise: { ...noise, event } });
}

const one = (study: RegressionStudy) => 4 ** regressionLayout(study).design.gridExponent;
/** Without the squared length of a coordinate of ½. */
const withoutHalf = (study: RegressionStudy, told: Broadcast) =>
  undercharged(study, laterOf(study), told, (limit) => limit - one(study) / 4);

/** A logistic regression's sum whose information weighs 16 in place of 11. */
const heavierInformation = (vector: Integers): Integers =>
  vector.map((entry, at) =>
    at < regressionLayout(logistic).parameters
      ? entry
      : BigInt(Math.trunc(Number(entry) * Math.sqrt(16 / 11))),
  );

const { design } = regressionLayout(linear);

export const regressionMutations: readonly Mutation[] = (
  [
    [
      "a logistic regression's information for nothing at a weight beyond 11.09",
      mechanismOf(logistic, laterOf(logistic).id, between, { attained: false, changed: heavierInformation }),
    ],
    [
      "the first sum's bound in a later one",
      undercharged(logistic, laterOf(logistic), sure, (limit) => limit / 2),
    ],
    ["a Poisson regression charged without its squares", withoutHalf(poissonOf({ maxEvents: 0.5 }), none)],
    [
      "a Poisson regression charged without its rows at the bound",
      withoutHalf(poissonOf({ maxEvents: 4 }), many),
    ],
    ["a Cox regression charged without its patients who are cut", withoutHalf(cox, soon)],
    [
      "a Cox regression whose hazards go beyond the bound that is charged for",
      mechanismOf(cox, laterOf(cox).id, soon, {
        attained: false,
        noise: noiseOf(coxOf({ maxHazard: 1 }), laterOf(cox).id),
      }),
    ],
    [
      "a Cox regression's start charged without times of follow-up",
      undercharged(cox, regressionLayout(cox).start!, {}, () => one(cox)),
    ],
    [
      "a Gram matrix charged without its outcome",
      undercharged(linear, regressionLayout(linear).gram!, {}, () => design.squaredNormLimit ** 2),
    ],
  ] as const
).map(([name, mechanism]): Mutation => ({ kind: "mutation", name: `regression: ${name}`, mechanism }));
