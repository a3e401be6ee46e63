import { type SiteVector, type SumConversation, simulateSums } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import type { TreePredictor } from "@consilium/core/release/predictor";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { predictRow } from "@consilium/core/testing/release/predict";
import { cartAdaboostConversation } from "@consilium/methods-paper/cart-dps-adaboost/conversation";
import { cartAdaboostPredictor } from "@consilium/methods-paper/cart-dps-adaboost/release";
import { asCartAdaboost } from "@consilium/methods-paper/cart-dps-adaboost/study";
import { cartAdaboostVector } from "@consilium/methods-paper/cart-dps-adaboost/vector";
import { pearsonConversation } from "@consilium/methods-paper/pearson-tree/conversation";
import { pearsonVector } from "@consilium/methods-paper/pearson-tree/vector";
import seedrandom from "seedrandom";
import { additivePredictor } from "../dp-additive/model.js";
import { histBoostPredictor } from "../dp-histboost/model.js";
import { asHistBoost } from "../dp-histboost/study.js";
import { dpKaConversation } from "../dp-ka/conversation.js";
import { dpPccConversation } from "../dp-pcc/conversation.js";
import { dpPccSConversation } from "../dp-pcc-s/conversation.js";
import { predictorOf } from "../shared/correlation-tree/release.js";
import { normalStream } from "../shared/draws/gaussian.js";
import type { EvaluationResult } from "../shared/evaluation/evaluationResult.js";
import { selectionPredictor } from "../shared/k-anonymous/selection.js";
import { simulateAdditive } from "./additive/simulate.js";
import { asCorrelationTree, asKAnonymous } from "./families.js";
import { simulateHistBoost } from "./histBoost/simulate.js";
import { simulateSelection } from "./kAnonymous/simulation.js";
import { parseStudy, type Study } from "./studies.js";
import { dpPccSVector, dpPccVector } from "./vectors.js";

/**
 * Outcomes whose every row's probability is known, and each predicting method trained on them with all sites in one process:
 * what a model states can be held against the truth, whatever the prevalence. For tests and benches.
 */

/** Rows with the probability that their outcome was drawn with. */
export interface Outcomes {
  readonly block: ColumnBlock;
  readonly probabilities: Float64Array;
}

const levels = ["north", "south", "west"];

export const outcomeFeatures = [
  { name: "age", type: "numeric", min: -3, max: 3 },
  { name: "pressure", type: "numeric", min: -3, max: 3 },
  { name: "weight", type: "numeric", min: -3, max: 3 },
  { name: "ward", type: "categorical", levels },
] as const;

const logOddsAt = (intercept: number, [age, pressure, , ward]: readonly number[]) =>
  intercept + 0.8 * age! + (pressure! > 0.5 ? 0.7 : -0.2) + (ward === 1 ? 0.6 : 0);

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

function drawnValues(uniform: () => number, normal: () => number): number[] {
  const clipped = () => Math.min(3, Math.max(-3, normal()));
  return [clipped(), clipped(), clipped(), Math.floor(3 * uniform())];
}

/** Where this part of all rows has the outcome. */
function interceptFor(prevalence: number): number {
  const uniform = seedrandom("prevalence");
  const normal = normalStream(() => uniform.double());
  const sample = Array.from({ length: 20_000 }, () => drawnValues(() => uniform(), normal));
  let [low, high] = [-12, 12];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    const mean = sample.reduce((sum, row) => sum + sigmoid(logOddsAt(middle, row)), 0) / sample.length;
    if (mean < prevalence) low = middle;
    else high = middle;
  }
  return low;
}

export function drawnOutcomes(rows: number, prevalence: number, seed: string): Outcomes {
  const uniform = seedrandom(seed);
  const normal = normalStream(() => uniform.double());
  const intercept = interceptFor(prevalence);
  const columns = outcomeFeatures.map(() => new Float64Array(rows));
  const labels = new Uint16Array(rows);
  const probabilities = new Float64Array(rows);
  for (let r = 0; r < rows; r++) {
    const row = drawnValues(() => uniform(), normal);
    row.forEach((value, j) => {
      columns[j]![r] = value;
    });
    probabilities[r] = sigmoid(logOddsAt(intercept, row));
    labels[r] = uniform() < probabilities[r]! ? 1 : 0;
  }
  return { block: { rows, columns, labels }, probabilities };
}

/** A method's study without what all have in common. */
export interface PredictingMethod {
  readonly name: string;
  readonly study: Readonly<Record<string, unknown>>;
}

export const predictingMethods: readonly PredictingMethod[] = [
  ["dp-histboost, real", { analysis: "boosted-trees" }, { depth: 2, featuresPerNode: 3 }],
  ["dp-histboost, discrete", { analysis: "boosted-trees" }, { depth: 2, mode: "discrete" }],
  ["dp-additive", { analysis: "boosted-trees", method: "dp-additive" }, { bins: 8 }],
  [
    "cart-dps-adaboost",
    { analysis: "boosted-trees", variant: "paper", method: "cart-dps-adaboost" },
    { trees: 5, depth: 2, featuresPerNode: 3 },
  ],
  ["dp-ka", { analysis: "k-anonymous-selection", method: "dp-ka" }, { bins: 8, k: 5, order: "boosting" }],
  [
    "dp-ka by histogram",
    { analysis: "k-anonymous-selection", method: "dp-ka" },
    { bins: 8, k: 5, order: "histogram" },
  ],
  ["dp-pcc", { analysis: "correlation-tree", method: "dp-pcc" }, { depth: 3, bins: 8 }],
  ["dp-pcc-s", { analysis: "correlation-tree", method: "dp-pcc-s" }, { depth: 2, bins: 8, blocks: 20 }],
  ["pearson-tree", { analysis: "correlation-tree", variant: "paper", method: "pearson-tree" }, { depth: 3 }],
].map(([name, study, parameters]) => ({
  name: name as string,
  study: {
    ...(study as object),
    parameters: { ...(parameters as object), evaluation: { heldOut: 0.3, share: 0.1 } },
  },
}));

/** What a study comes to. */
export interface TrainedModel {
  readonly predictor: TreePredictor;
  readonly evaluation: EvaluationResult;
}

/** Trains a method on these rows, dealt to three sites. @param epsilon - null for no noise */
export async function trainedOn(
  { study: keys }: PredictingMethod,
  { block }: Outcomes,
  epsilon: number | null,
  seed: string,
): Promise<TrainedModel> {
  const study = unwrap(
    parseStudy({
      name: "outcomes",
      table: "t",
      features: outcomeFeatures,
      label: { name: "outcome", levels: ["no", "yes"] },
      privacy: epsilon === null ? "none" : { epsilon, delta: 1e-6 },
      participation: { minimumSites: 3, maxRowsPerSite: Math.max(200, block.rows) },
      ...keys,
    }),
  );
  const tables = [0, 1, 2].map((site) => [partOf(block, site, 3)]);
  const common = { tables, kernels: plainKernels(), random: seededRandom(seed) };
  const result = await modelOf(study, common);
  if (result.predictor === null || result.evaluation === null) throw new RangeError("there is no model");
  return { predictor: result.predictor, evaluation: result.evaluation };
}

interface Common {
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
}

/** A study that predicts, with all sites in this process. */
export async function modelOf(
  study: Study,
  common: Common,
): Promise<{ predictor: TreePredictor | null; evaluation: EvaluationResult | null }> {
  const { random } = common;
  const sums = <R>(vector: SiteVector, run: (conversation: SumConversation) => Promise<R>) =>
    simulateSums({ ...common, plan: planStudy(study), vector, run });
  if (study.analysis === "boosted-trees" && study.method === "dp-additive") {
    const result = await simulateAdditive({ ...common, study });
    return { predictor: additivePredictor(study, result), evaluation: result.evaluation };
  }
  if (study.analysis === "boosted-trees" && study.variant === "paper") {
    const own = asCartAdaboost(study);
    const result = await sums(
      (id, input) => cartAdaboostVector(own, id, input),
      (conversation) => cartAdaboostConversation(own, conversation, random),
    );
    const predictor = cartAdaboostPredictor(own, result) as TreePredictor | null;
    return { predictor, evaluation: result.evaluation };
  }
  if (study.analysis === "boosted-trees") {
    const own = asHistBoost(study);
    const result = await simulateHistBoost({ ...common, study: own });
    return { predictor: histBoostPredictor(own, result), evaluation: result.evaluation };
  }
  if (study.analysis === "k-anonymous-selection" && study.method === "dp-ka") {
    const result = await simulateSelection({
      ...common,
      study: asKAnonymous(study),
      run: (conversation) => dpKaConversation({ study, conversation }),
    });
    return { predictor: selectionPredictor(study, result), evaluation: result.evaluation };
  }
  const own = asCorrelationTree(study);
  const tree = await sums(
    (id, input) =>
      own.method === "dp-pcc"
        ? dpPccVector(own, id, input)
        : own.method === "dp-pcc-s"
          ? dpPccSVector(own, id, input)
          : pearsonVector(own, id, input),
    (conversation) =>
      own.method === "dp-pcc"
        ? dpPccConversation({ study: own, conversation })
        : own.method === "dp-pcc-s"
          ? dpPccSConversation({ study: own, conversation })
          : pearsonConversation({ study: own, conversation, random }),
  );
  return { predictor: predictorOf(own, tree), evaluation: tree.evaluation };
}

function partOf(block: ColumnBlock, site: number, sites: number): ColumnBlock {
  const [from, to] = [site, site + 1].map((at) => Math.floor((at * block.rows) / sites));
  return {
    rows: to! - from!,
    columns: block.columns.map((column) => column.slice(from, to)),
    labels: block.labels!.slice(from, to),
  };
}

/** What a model says of rows. */
export interface Stated {
  /** Of the outcome. */
  readonly probabilities: Float64Array;
  readonly outputs: readonly Float64Array[];
  readonly predicted: Uint8Array;
}

export function statedOf(predictor: TreePredictor, { block }: Outcomes): Stated {
  const told = Array.from({ length: block.rows }, (_, r) =>
    predictRow(
      predictor,
      Object.fromEntries(
        outcomeFeatures.map((feature, j) => {
          const value = block.columns[j]![r]!;
          return [feature.name, feature.type === "categorical" ? levels[value]! : value];
        }),
      ),
    ),
  );
  return {
    probabilities: Float64Array.from(told, ({ probabilities }) => probabilities[1]!),
    outputs: told.map(({ outputs }) => outputs),
    predicted: Uint8Array.from(told, ({ predicted }) => predicted),
  };
}
