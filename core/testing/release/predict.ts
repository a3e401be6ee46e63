import { binOf } from "@consilium/methods/shared/columns/binning";
import { probabilitiesOf } from "../../src/learning/trees/link.js";
import { classOf, outputsOf } from "../../src/learning/trees/tree.js";
import type {
  InputColumn,
  LinearMapPredictor,
  RegressionPredictor,
  TreePredictor,
} from "../../src/release/predictor.js";

/**
 * What a predictor says of a row in source units: the reference that every exported form is held against.
 */

/** A row by its columns' names: a number, a level, or null where the value is missing. */
export type RawRow = Readonly<Record<string, number | string | null>>;

export interface TreePrediction {
  /** Index among the label's levels. */
  readonly predicted: number;
  readonly outputs: Float64Array;
  /** One per level of the label. */
  readonly probabilities: Float64Array;
}

/** @throws RangeError where a value is missing or a level unknown that the model was not told of */
export function predictRow(predictor: TreePredictor, row: RawRow): TreePrediction {
  const { inputs, link, probability } = predictor;
  const kinds = inputs.map((input) => (input.type === "numeric" ? "ordered" : "nominal"));
  const bins = inputs.map((input) => {
    const value = rawValue(input, row);
    if (input.type === "categorical") return value;
    return binOf(
      {
        name: input.name,
        kind: "ordered",
        bins: input.edges.length + 1,
        edges: Float64Array.from(input.edges),
        levels: [],
      },
      value,
    );
  });
  const outputs = outputsOf(predictor, kinds, (feature) => bins[feature]!);
  return {
    predicted: classOf(outputs, link),
    outputs,
    probabilities: probabilitiesOf(outputs, link, probability.calibration),
  };
}

/** A row's design columns: numbers within their bounds, and 0 or 1 for each level. */
function designRow(inputs: readonly InputColumn[], row: RawRow): number[] {
  return inputs.flatMap((input) => {
    const value = rawValue(input, row);
    return input.type === "numeric"
      ? [Math.min(input.max, Math.max(input.min, value))]
      : input.levels.map((_, level) => Number(level === value));
  });
}

/** What a regression states of a row: a probability, a mean, a rate or a hazard. @throws as `predictRow` */
export function regressionRow(predictor: RegressionPredictor, row: RawRow): number {
  const { inputs, intercept, coefficients, link } = predictor;
  const sum = designRow(inputs, row).reduce((total, value, j) => total + value * coefficients[j]!, intercept);
  if (link === "exponential") return Math.exp(sum);
  return link === "logistic" ? 1 / (1 + Math.exp(-sum)) : sum;
}

/** The row's coordinates, one per output; a number beyond its bounds counts as the bound. @throws as `predictRow` */
export function mapRow(predictor: LinearMapPredictor, row: RawRow): Float64Array {
  const { inputs, subtract, divide, norm, matrix, outputs } = predictor;
  const design = designRow(inputs, row);
  const moved = design.map((value, j) => (value - subtract[j]!) / divide[j]!);
  const length = Math.hypot(...moved);
  const factor = norm === "none" || length === 0 || (norm === "at-most-one" && length <= 1) ? 1 : 1 / length;
  return Float64Array.from(outputs, (_, i) =>
    moved.reduce((sum, value, j) => sum + matrix[i * moved.length + j]! * value * factor, 0),
  );
}

/** The number, or the level's index. */
function rawValue(input: InputColumn, row: RawRow): number {
  const raw = row[input.name] ?? null;
  if (raw === null) {
    if (input.missing === null) throw new RangeError(`column ${input.name} lacks a value`);
    return input.missing;
  }
  if (input.type === "numeric") {
    if (typeof raw === "number" && Number.isFinite(raw)) return raw;
    throw new RangeError(`column ${input.name} holds no number`);
  }
  const level = typeof raw === "string" ? input.levels.indexOf(raw) : -1;
  if (level < 0) throw new RangeError(`column ${input.name} holds an unknown level`);
  return level;
}
