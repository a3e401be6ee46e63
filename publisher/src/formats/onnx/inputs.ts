import type { InputColumn } from "@consilium/core/release/predictor";
import { mlDomain, type OnnxGraph } from "./graph.js";

/**
 * Raw columns to numbers, as the study declares: a missing number (NaN) becomes the declared constant, a level its index, a
 * missing level (an empty text) the index of its own level. What the study refuses is no fault here, for ONNX has none: a
 * number stays NaN, an unknown level is -1, equal to none.
 * @returns one value of type double, [rows, 1], per input
 */
export function numbersOf(graph: OnnxGraph, inputs: readonly InputColumn[]): string[] {
  return inputs.map((input) => (input.type === "numeric" ? numberOf(graph, input) : levelOf(graph, input)));
}

function numberOf(graph: OnnxGraph, input: Extract<InputColumn, { type: "numeric" }>): string {
  const missing =
    input.missing === null ? "a missing value is not expected" : `NaN counts as ${input.missing}`;
  const raw = graph.input(input.name, "double", `from ${input.min} to ${input.max}; ${missing}`);
  if (input.missing === null) return raw;
  return graph.node("Where", [graph.node("IsNaN", [raw]), graph.doubles([input.missing]), raw]);
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
