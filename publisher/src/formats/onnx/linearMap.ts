import type { LinearMapPredictor } from "@consilium/core/release/predictor";
import { OnnxGraph } from "./graph.js";
import { numbersOf, withoutMissing } from "./inputs.js";

/** A linear map as ONNX, exact in float64 but for the order of additions: raw rows in, their coordinates out. */
export function linearMapOnnx(predictor: LinearMapPredictor, description: string): Uint8Array {
  const { inputs, subtract, divide, norm, matrix, outputs } = predictor;
  const graph = new OnnxGraph(inputs.map(({ name }) => name));
  const columns = numbersOf(graph, inputs).map((value, i) => {
    const input = inputs[i]!;
    if (input.type === "numeric") return value;
    // A 0/1 column of each level.
    const indices = graph.doubles([...input.levels.keys()], [1, input.levels.length]);
    return graph.cast(graph.node("Equal", [value, indices]), "double");
  });
  const widths = inputs.map((input) => (input.type === "numeric" ? 1 : input.levels.length));
  const design = withoutMissing(graph, inputs, columns, widths);
  const within = clamped(graph, design, inputs);
  const centred = graph.node("Sub", [within, graph.doubles(subtract, [1, subtract.length])]);
  const moved = graph.node("Div", [centred, graph.doubles(divide, [1, divide.length])]);
  const transposed = subtract.flatMap((_, j) => outputs.map((_, i) => matrix[i * subtract.length + j]!));
  const coordinates = graph.node("MatMul", [
    normed(graph, moved, norm),
    graph.doubles(transposed, [subtract.length, outputs.length]),
  ]);
  graph.output(coordinates, "coordinates", "double", outputs.length, outputs.join(", "));
  return graph.encode("consilium-linear-map", description);
}

/** Beyond its bounds a number counts as the bound, as at the sites; levels are 0 or 1 anyway. */
function clamped(graph: OnnxGraph, design: string, inputs: LinearMapPredictor["inputs"]): string {
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
