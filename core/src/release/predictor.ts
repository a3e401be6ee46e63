import { z } from "zod";

/**
 * What a reader can run on rows of their own, preprocessing included: the source of model.onnx, and of XGBoost's JSON for
 * trees of log-odds.
 */

const finite = z.number();
const index = z.int().min(0);

/** An input column in source units, as a study declares it. */
const inputColumn = z.discriminatedUnion("type", [
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
    cut: index,
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
  link: z.enum(["logistic", "margin", "classes"]),
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

export const predictorSchema = z.discriminatedUnion("kind", [treePredictorSchema, linearMapPredictor]);

export type Predictor = z.output<typeof predictorSchema>;
export type TreePredictor = z.output<typeof treePredictorSchema>;
export type LinearMapPredictor = z.output<typeof linearMapPredictor>;
export type InputColumn = z.output<typeof inputColumn>;
