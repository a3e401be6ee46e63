import type { InputColumn } from "@consilium/core/release/predictor";
import { mlDomain, type OnnxGraph } from "./graph.js";

/**
 * Raw columns as numbers: a level is its index, a missing one (an empty text) the index of its own level. What the study refuses
 * is no fault here, for ONNX has none: an unknown level is -1, equal to none.
 * @returns one value of type double, [rows, 1], per input; missing numbers are still NaN
 */
export function numbersOf(graph: OnnxGraph, inputs: readonly InputColumn[]): string[] {
  return inputs.map((input) =>
    input.type === "categorical"
      ? levelOf(graph, input)
      : graph.input(input.name, "double", describeNumber(input)),
  );
}

/**
 * Missing numbers replaced by what the study declares for them; NaN where that is nothing.
 * @param columns - double, [rows, 1] or wider, of each input
 * @param widths - how wide each is
 * @returns [rows, the sum of all widths]
 */
export function withoutMissing(
  graph: OnnxGraph,
  inputs: readonly InputColumn[],
  columns: readonly string[],
  widths: readonly number[],
): string {
  const rows = graph.node("Concat", columns, { axis: { int: 1 } });
  const stands = inputs.map((input) => (input.type === "numeric" ? input.missing : null));
  if (stands.every((value) => value === null)) return rows;
  // One operator for all columns: with one for each a runtime takes minutes to load some thousand columns.
  const values = stands.flatMap((value, i) => new Array<number>(widths[i]!).fill(value ?? Number.NaN));
  return graph.node("Where", [graph.node("IsNaN", [rows]), graph.doubles(values, [1, values.length]), rows]);
}

function describeNumber({ min, max, missing }: Extract<InputColumn, { type: "numeric" }>): string {
  return `from ${min} to ${max}; ${missing === null ? "a missing value is not expected" : `NaN counts as ${missing}`}`;
}

function levelOf(graph: OnnxGraph, input: Extract<InputColumn, { type: "categorical" }>): string {
  const { levels, missing } = input;
  const raw = graph.input(
    input.name,
    "string",
    missing === null
      ? "one of the study's levels"
      : "one of the study's levels, or empty where it is missing",
  );
  // The name of the level for missing values is a text like any other here, and means the same.
  const keys = [...levels, ...(missing === null || levels.includes("") ? [] : [""])];
  const indices = [...levels.keys(), ...(keys.length > levels.length ? [missing!] : [])];
  const index = graph.node(
    "LabelEncoder",
    [raw],
    { keys_strings: { texts: keys }, values_int64s: { ints: indices }, default_int64: { int: -1 } },
    mlDomain,
  );
  return graph.cast(index, "double");
}
