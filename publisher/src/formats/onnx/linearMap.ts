import type { InputColumn, LinearMapPredictor, RegressionPredictor } from "@consilium/core/release/predictor";
import { OnnxGraph } from "./graph.js";
import { numbersOf, withoutMissing } from "./inputs.js";

/** A linear map as ONNX, exact in float64 but for the order of additions: raw rows in, their coordinates out. */
export function linearMapOnnx(predictor: LinearMapPredictor, description: string): Uint8Array {
  const { inputs, subtract, divide, norm, matrix, outputs } = predictor;
  const graph = new OnnxGraph(inputs.map(({ name }) => name));
  const centred = graph.node("Sub", [designOf(graph, inputs), graph.doubles(subtract, [1, subtract.length])]);
  const moved = graph.node("Div", [centred, graph.doubles(divide, [1, divide.length])]);
  const transposed = subtract.flatMap((_, j) => outputs.map((_, i) => matrix[i * subtract.length + j]!));
  const coordinates = graph.node("MatMul", [
    normed(graph, moved, norm),
    graph.doubles(transposed, [subtract.length, outputs.length]),
  ]);
  graph.output(coordinates, "coordinates", "double", outputs.length, outputs.join(", "));
  return graph.encode("consilium-linear-map", description);
}

/** A regression as ONNX: raw rows in, their predictions out. */
export function regressionOnnx(predictor: RegressionPredictor, description: string): Uint8Array {
  const { inputs, intercept, coefficients, link, output } = predictor;
  const graph = new OnnxGraph(inputs.map(({ name }) => name));
  const weighted = graph.node("MatMul", [
    designOf(graph, inputs),
    graph.doubles(coefficients, [coefficients.length, 1]),
  ]);
  const sum = graph.node("Add", [weighted, graph.doubles([intercept])]);
  const answer = link === "identity" ? sum : graph.node(linkNodes[link], [sum]);
  graph.output(answer, "predictions", "double", 1, output);
  return graph.encode("consilium-regression", description);
}

const linkNodes = { logistic: "Sigmoid", exponential: "Exp" } as const;

/** The design columns of raw rows: numbers within their bounds, and a 0/1 column of each level. */
function designOf(graph: OnnxGraph, inputs: readonly InputColumn[]): string {
  const columns = numbersOf(graph, inputs).map((value, i) => {
    const input = inputs[i]!;
    if (input.type === "numeric") return value;
    const indices = graph.doubles([...input.levels.keys()], [1, input.levels.length]);
    return graph.cast(graph.node("Equal", [value, indices]), "double");
  });
  const widths = inputs.map((input) => (input.type === "numeric" ? 1 : input.levels.length));
  return clamped(graph, withoutMissing(graph, inputs, columns, widths), inputs);
}

/** Beyond its bounds a number counts as the bound, as at the sites; levels are 0 or 1 anyway. */
function clamped(graph: OnnxGraph, design: string, inputs: readonly InputColumn[]): string {
  const bounds = inputs.flatMap((input) =>
    input.type === "numeric" ? [input] : input.levels.map(() => ({ min: 0, max: 1 })),
  );
  const dims = [1, bounds.length];
  const most = graph.doubles(
    bounds.map(({ max }) => max),
    dims,
  );
  const least = graph.doubles(
    bounds.map(({ min }) => min),
    dims,
  );
  return graph.node("Max", [graph.node("Min", [design, most]), least]);
}

function normed(graph: OnnxGraph, rows: string, norm: LinearMapPredictor["norm"]): string {
  if (norm === "none") return rows;
  const squares = graph.node("ReduceSum", [graph.node("Mul", [rows, rows]), graph.integers([1])], {
    keepdims: { int: 1 },
  });
  const length = graph.node("Sqrt", [squares]);
  const one = graph.doubles([1]);
  const divisor =
    norm === "at-most-one"
      ? graph.node("Max", [length, one])
      : graph.node("Where", [graph.node("Equal", [length, graph.doubles([0])]), one, length]);
  return graph.node("Div", [rows, divisor]);
}
