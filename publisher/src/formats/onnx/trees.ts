import { logOddsMost, logOddsOf } from "@consilium/core/learning/trees/link";
import { isOneOutput, singleCut } from "@consilium/core/learning/trees/tree";
import type { TreePredictor } from "@consilium/core/release/predictor";
import { type Attribute, doubleTensor, mlDomain, OnnxGraph } from "./graph.js";
import { numbersOf, withoutMissing } from "./inputs.js";

/**
 * A tree model as ONNX: raw rows in, label and probabilities out, exact in float64. ONNX's tree operators answer in float32,
 * so the one here answers which leaf of each tree a row comes to, which float32 holds exactly; what the leaves say is looked
 * up and added in float64.
 */
export function treesOnnx(predictor: TreePredictor, description: string): Uint8Array {
  const { inputs, label, base } = predictor;
  const graph = new OnnxGraph(inputs.map(({ name }) => name));
  const columns = numbersOf(graph, inputs);
  const rows = withoutMissing(
    graph,
    inputs,
    columns,
    columns.map(() => 1),
  );
  const { attributes, values } = leafFinder(predictor);
  const leaves = graph.cast(graph.node("TreeEnsembleRegressor", [rows], attributes, mlDomain), "int64");
  const table = graph.doubles(values.flat(), [values.length, base.length]);
  const each = graph.node("Gather", [table, leaves], { axis: { int: 0 } });
  const sum = graph.node("ReduceSum", [each, graph.integers([1])], { keepdims: { int: 0 } });
  const outputs = graph.node("Add", [graph.doubles(base), sum]);
  const { predicted, probabilities } = decision(graph, outputs, predictor);
  const text = graph.node(
    "LabelEncoder",
    [predicted],
    { keys_int64s: { ints: [...label.levels.keys()] }, values_strings: { texts: label.levels } },
    mlDomain,
  );
  graph.output(text, "label", "string", 1, `the level of ${label.name} that is predicted`);
  graph.output(
    probabilities,
    "probabilities",
    "double",
    label.levels.length,
    `of each level, in this order: ${label.levels.join(", ")}`,
  );
  return graph.encode("consilium-trees", description);
}

/** Indices of the classes, [rows, 1], and their probabilities, by the link. */
function decision(
  graph: OnnxGraph,
  outputs: string,
  { link, probability: { calibration } }: TreePredictor,
): { predicted: string; probabilities: string } {
  if (isOneOutput(link)) {
    return {
      predicted: graph.cast(graph.node("Greater", [outputs, graph.doubles([0])]), "int64"),
      probabilities: bothOf(graph, outputs, calibration, logOddsOf(1, link)),
    };
  }
  const predicted = graph.node("ArgMax", [outputs], { axis: { int: 1 }, keepdims: { int: 1 } });
  if (link === "softmax") return { predicted, probabilities: softmaxOf(graph, outputs) };
  const axis = graph.integers([1]);
  const zero = graph.doubles([0]);
  const weights = graph.node("Max", [outputs, zero]);
  const total = graph.node("ReduceSum", [weights, axis], { keepdims: { int: 1 } });
  const some = graph.node("Greater", [total, zero]);
  // Where no output is above 0 each class has the same part.
  const parts = graph.node("Where", [some, weights, graph.doubles([1])]);
  const whole = graph.node("ReduceSum", [parts, axis], { keepdims: { int: 1 } });
  const each = graph.node("Div", [parts, whole]);
  if (calibration === null) return { predicted, probabilities: each };
  const logs = graph.node("Log", [each]);
  const signs = graph.doubles([-1, 1], [2, 1]);
  const most = graph.doubles([logOddsMost]);
  const least = graph.doubles([-logOddsMost]);
  const logOdds = graph.node("Max", [graph.node("Min", [graph.node("MatMul", [logs, signs]), most]), least]);
  return { predicted, probabilities: bothOf(graph, logOdds, calibration, 1) };
}

/** In doubles, by operators that every runtime has for them; the largest output is taken away first. */
function softmaxOf(graph: OnnxGraph, outputs: string): string {
  const most = graph.node("ReduceMax", [outputs], { axes: { ints: [1] }, keepdims: { int: 1 } });
  const weights = graph.node("Exp", [graph.node("Sub", [outputs, most])]);
  const total = graph.node("ReduceSum", [weights, graph.integers([1])], { keepdims: { int: 1 } });
  return graph.node("Div", [weights, total]);
}

/** The probabilities of both classes from a score that is log-odds over `scale`, [rows, 1]. */
function bothOf(
  graph: OnnxGraph,
  score: string,
  calibration: TreePredictor["probability"]["calibration"],
  scale: number,
): string {
  const { intercept, slope } = calibration ?? { intercept: 0, slope: 1 };
  const factor = slope * scale;
  const scaled = factor === 1 ? score : graph.node("Mul", [score, graph.doubles([factor])]);
  const logOdds = intercept === 0 ? scaled : graph.node("Add", [scaled, graph.doubles([intercept])]);
  const one = graph.doubles([1]);
  const odds = graph.node("Exp", [graph.node("Neg", [logOdds])]);
  const second = graph.node("Div", [one, graph.node("Add", [one, odds])]);
  return graph.node("Concat", [graph.node("Sub", [one, second]), second], { axis: { int: 1 } });
}

/** Trees that answer the number of the leaf, counted over all trees; and each leaf's values. */
function leafFinder(predictor: TreePredictor): {
  attributes: Record<string, Attribute>;
  values: readonly (readonly number[])[];
} {
  const values: (readonly number[])[] = [];
  const nodes = {
    tree: [] as number[],
    node: [] as number[],
    feature: [] as number[],
    mode: [] as string[],
    threshold: [] as number[],
    yes: [] as number[],
    no: [] as number[],
  };
  const targets = { tree: [] as number[], node: [] as number[], weight: [] as number[] };
  const add = (node: {
    readonly tree: number;
    readonly id: number;
    readonly feature: number;
    readonly mode: "BRANCH_LT" | "BRANCH_EQ" | "LEAF";
    readonly threshold: number;
    readonly yes: number;
    readonly no: number;
  }) => {
    nodes.tree.push(node.tree);
    nodes.node.push(node.id);
    nodes.feature.push(node.feature);
    nodes.mode.push(node.mode);
    nodes.threshold.push(node.threshold);
    nodes.yes.push(node.yes);
    nodes.no.push(node.no);
  };
  predictor.trees.forEach((tree, t) => {
    // Further nodes of chains are numbered after the tree's own.
    let next = tree.nodes.length;
    tree.nodes.forEach((node, n) => {
      if (node.kind === "split") {
        const { feature, left: yes, right: no } = node;
        const input = predictor.inputs[feature]!;
        if (input.type === "numeric") {
          const threshold = input.edges[singleCut(node)]!;
          add({ tree: t, id: n, feature, mode: "BRANCH_LT", threshold, yes, no });
          return;
        }
        // A set of levels is a chain: each asks for one level and leads to the same left child.
        const levels = typeof node.cut === "number" ? [node.cut] : node.cut;
        levels.forEach((threshold, i) => {
          const isLast = i === levels.length - 1;
          const id = i === 0 ? n : next++;
          add({ tree: t, id, feature, mode: "BRANCH_EQ", threshold, yes, no: isLast ? no : next });
        });
        return;
      }
      add({ tree: t, id: n, feature: 0, mode: "LEAF", threshold: 0, yes: 0, no: 0 });
      targets.tree.push(t);
      targets.node.push(n);
      targets.weight.push(values.length);
      values.push(node.values);
    });
  });
  return {
    values,
    attributes: {
      n_targets: { int: predictor.trees.length },
      nodes_treeids: { ints: nodes.tree },
      nodes_nodeids: { ints: nodes.node },
      nodes_featureids: { ints: nodes.feature },
      nodes_modes: { texts: nodes.mode },
      nodes_values_as_tensor: { tensor: doubleTensor(nodes.threshold, [nodes.threshold.length]) },
      nodes_truenodeids: { ints: nodes.yes },
      nodes_falsenodeids: { ints: nodes.no },
      target_treeids: { ints: targets.tree },
      target_nodeids: { ints: targets.node },
      // Each tree answers in a column of its own.
      target_ids: { ints: targets.tree },
      target_weights_as_tensor: { tensor: doubleTensor(targets.weight, [targets.weight.length]) },
    },
  };
}
