import { z } from "zod";
import { isOneOutput, levelSetFault } from "../learning/trees/tree.js";
import { assertNever } from "../result.js";

/**
 * What a reader can run on rows of their own, preprocessing included: the source of model.onnx, and of XGBoost's JSON for
 * trees of log-odds.
 */

const finite = z.number();
const index = z.int().min(0);

/** An input column in source units, as a study declares it. */
export const inputColumn = z.discriminatedUnion("type", [
  z.strictObject({
    name: z.string(),
    type: z.literal("numeric"),
    min: finite,
    max: finite,
    /** What stands for a missing value; null where rows that lack one are refused. */
    missing: finite.nullable(),
    /** Where trees cut, ascending; empty for a linear map. */
    edges: z.array(finite),
  }),
  z.strictObject({
    name: z.string(),
    type: z.literal("categorical"),
    /** In the order of their indices; a level of its own for missing values comes last. */
    levels: z.array(z.string()).min(1),
    /** Index of the level for missing values; null where rows that lack one are refused. */
    missing: index.nullable(),
  }),
]);

/** A node of a tree as in `core/src/learning/trees/tree.ts`. */
const treeNode = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("split"),
    feature: index,
    /** A bin, or a nominal feature's levels that go left. */
    cut: z.union([index, z.array(index).min(1)]),
    gain: finite,
    cover: finite,
    left: index,
    right: index,
  }),
  z.strictObject({ kind: z.literal("leaf"), values: z.array(finite).min(1), cover: finite }),
]);

export const treePredictorSchema = z.strictObject({
  kind: z.literal("trees"),
  inputs: z.array(inputColumn).min(1),
  /** The label's column, and its levels in the order of the classes. */
  label: z.strictObject({ name: z.string(), levels: z.array(z.string()).min(2) }),
  trees: z.array(z.strictObject({ nodes: z.array(treeNode).min(1) })).min(1),
  base: z.array(finite).min(1),
  link: z.enum(["logistic", "margin", "classes", "softmax"]),
  /** How outputs become probabilities: `core/src/learning/trees/link.ts`. */
  probability: z.strictObject({
    /** Why the outputs stand for probabilities, and where that is derived. */
    derivation: z.string().min(1).max(500),
    /** What the log-odds of the second level of two are put through, by measurement; null where nothing was measured. */
    calibration: z.strictObject({ intercept: finite, slope: z.number().positive() }).nullable(),
  }),
  /** Whether splits and leaves are those of XGBoost's second-order boosting, so that its JSON is made too. */
  isXgboost: z.boolean(),
});

const linearMapPredictor = z.strictObject({
  kind: z.literal("linear-map"),
  inputs: z.array(inputColumn).min(1),
  /**
   * Per design column (a number, or a 0/1 column of each level): subtracted, then divided by; in source units.
   */
  subtract: z.array(finite).min(1),
  divide: z.array(finite).min(1),
  /** What happens to a row's length before the map: made 1, or cut to at most 1. */
  norm: z.enum(["none", "unit", "at-most-one"]),
  /** [outputs × design columns] row-major. */
  matrix: z.array(finite).min(1),
  outputs: z.array(z.string()).min(1),
});

const regressionPredictor = z.strictObject({
  kind: z.literal("regression"),
  inputs: z.array(inputColumn).min(1),
  /** Of what it states: a probability of a level, the mean of a column, a rate or a hazard. */
  output: z.string().min(1).max(300),
  intercept: finite,
  /** Per design column, as of a linear map: of one unit more, or of a level. */
  coefficients: z.array(finite).min(1),
  /** `logistic`: the sum is log-odds, and the answer a probability. `exponential`: it is the logarithm of the answer. */
  link: z.enum(["identity", "logistic", "exponential"]),
});

export const predictorSchema = z.discriminatedUnion("kind", [
  treePredictorSchema,
  linearMapPredictor,
  regressionPredictor,
]);

export type Predictor = z.output<typeof predictorSchema>;
export type TreePredictor = z.output<typeof treePredictorSchema>;
export type LinearMapPredictor = z.output<typeof linearMapPredictor>;
export type RegressionPredictor = z.output<typeof regressionPredictor>;
export type InputColumn = z.output<typeof inputColumn>;

/** What a predictor must keep to beyond its shape: what is wrong, in words. */
export function predictorFaults(predictor: Predictor): string[] {
  const faults = inputFaults(predictor.inputs);
  return [...faults, ...kindFaults(predictor)];
}

function kindFaults(predictor: Predictor): string[] {
  switch (predictor.kind) {
    case "trees":
      return treeFaults(predictor);
    case "linear-map":
      return mapFaults(predictor);
    case "regression":
      return predictor.coefficients.length === designWidthOf(predictor.inputs)
        ? []
        : [`the regression has not a coefficient for each of its ${designWidthOf(predictor.inputs)} columns`];
    default:
      return assertNever(predictor);
  }
}

function inputFaults(inputs: readonly InputColumn[]): string[] {
  const faults: string[] = [];
  if (new Set(inputs.map(({ name }) => name)).size < inputs.length) faults.push("two inputs have one name");
  for (const input of inputs) {
    if (input.type === "categorical") {
      if (input.missing !== null && input.missing >= input.levels.length)
        faults.push("an input's level for missing values is not one of its levels");
      if (new Set(input.levels).size < input.levels.length) faults.push("an input has a level twice");
    } else if (input.edges.some((edge, i) => i > 0 && edge <= input.edges[i - 1]!)) {
      faults.push("an input's edges do not ascend");
    }
  }
  return faults;
}

function treeFaults({ inputs, label, trees, base, link, probability, isXgboost }: TreePredictor): string[] {
  const faults: string[] = [];
  if (link === "softmax" && label.levels.length === 2)
    faults.push("two classes have one output, the log-odds");
  if (probability.calibration !== null && label.levels.length !== 2)
    faults.push("a calibration stands for two classes");
  const outputs = isOneOutput(link) ? 1 : label.levels.length;
  if (base.length !== outputs) faults.push(`the base has ${base.length} numbers for ${outputs} outputs`);
  if (isOneOutput(link) && label.levels.length !== 2) faults.push("one output stands for two classes");
  for (const { nodes } of trees) {
    // Children after their parents, each with one: anyone who walks down ends, and misses nothing.
    const parents = new Uint8Array(nodes.length);
    nodes.forEach((node, i) => {
      if (node.kind === "leaf") {
        if (node.values.length !== outputs)
          faults.push("a leaf has another number of values than the model outputs");
        return;
      }
      const { left, right } = node;
      if (left <= i || right <= i || left === right || left >= nodes.length || right >= nodes.length)
        faults.push("a split's children are not two later nodes");
      else for (const child of [left, right]) parents[child]!++;
      if (!isCut(node.cut, inputs[node.feature])) faults.push("a split cuts where its input has no cut");
      if (isXgboost && typeof node.cut !== "number")
        faults.push("XGBoost's JSON has no splits by sets of levels");
    });
    if (parents.some((count, i) => count !== (i === 0 ? 0 : 1)))
      faults.push("a tree's nodes are not one tree");
  }
  return faults;
}

function isCut(cut: number | readonly number[], input: InputColumn | undefined): boolean {
  if (input === undefined) return false;
  if (input.type === "numeric") return typeof cut === "number" && cut < input.edges.length;
  return typeof cut === "number"
    ? cut < input.levels.length
    : levelSetFault(cut, input.levels.length) === null;
}

const designWidthOf = (inputs: readonly InputColumn[]) =>
  inputs.reduce((sum, input) => sum + (input.type === "numeric" ? 1 : input.levels.length), 0);

function mapFaults({ inputs, subtract, divide, matrix, outputs }: LinearMapPredictor): string[] {
  const columns = designWidthOf(inputs);
  const faults: string[] = [];
  if (subtract.length !== columns || divide.length !== columns)
    faults.push(`the map centres other than its ${columns} columns`);
  if (matrix.length !== columns * outputs.length)
    faults.push(`the map's matrix is not ${outputs.length} × ${columns}`);
  if (divide.includes(0)) faults.push("the map divides by 0");
  return faults;
}
