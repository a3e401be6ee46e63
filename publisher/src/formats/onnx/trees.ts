import { logOddsMost, logOddsOf } from "@consilium/core/learning/trees/link";
import { hasOutputPerClass } from "@consilium/core/learning/trees/tree";
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
  if (!hasOutputPerClass(link)) {
    return {
      predicted: graph.cast(graph.node("Greater", [outputs, graph.doubles([0])]), "int64"),
      probabilities: bothOf(graph, outputs, calibration, logOddsOf(1, link)),
    };
  }
  const predicted = graph.node("ArgMax", [outputs], { axis: { int: 1 }, keepdims: { int: 1 } });
  if (link === "softmax")
    return { predicted, probabilities: graph.node("Softmax", [outputs], { axis: { int: 1 } }) };
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
  predictor.trees.forEach((tree, t) => {
    tree.nodes.forEach((node, n) => {
      const isLeaf = node.kind === "leaf";
      nodes.tree.push(t);
      nodes.node.push(n);
      nodes.feature.push(isLeaf ? 0 : node.feature);
      nodes.yes.push(isLeaf ? 0 : node.left);
      nodes.no.push(isLeaf ? 0 : node.right);
      nodes.threshold.push(isLeaf ? 0 : thresholdOf(predictor, node));
      if (!isLeaf) {
        nodes.mode.push(predictor.inputs[node.feature]!.type === "numeric" ? "BRANCH_LT" : "BRANCH_EQ");
        return;
      }
      nodes.mode.push("LEAF");
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

/** What a value is held against: below the edge, or the level itself, goes left. */
function thresholdOf({ inputs }: TreePredictor, split: { feature: number; cut: number }): number {
  const input = inputs[split.feature]!;
  return input.type === "numeric" ? input.edges[split.cut]! : split.cut;
}
