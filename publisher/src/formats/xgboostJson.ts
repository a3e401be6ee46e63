import { logOddsOf } from "@consilium/core/learning/trees/link";
import { isOneOutput, singleCut } from "@consilium/core/learning/trees/tree";
import type { InputColumn, TreePredictor } from "@consilium/core/release/predictor";

/**
 * A tree model in XGBoost's own JSON, as its version 1.7 writes it (doc/model.schema of dmlc/xgboost): `Booster.load_model`
 * reads it, and continues from there. Rows have a column of 0 and 1 for each level. XGBoost compares in float32: a number that
 * differs from an edge by less than that shows may go the other way; model.onnx is exact.
 * @throws RangeError for frequencies of two classes that were calibrated
 */
export function xgboostJson(predictor: TreePredictor): string {
  if (predictor.link === "classes" && predictor.probability.calibration !== null)
    throw new RangeError("a calibrated frequency is no sum of trees");
  const columns = xgboostColumns(predictor.inputs);
  const firstColumns = firstColumnOf(predictor.inputs);
  const { link, base, label, probability } = predictor;
  const isOneScore = isOneOutput(link);
  const classes = isOneScore ? 1 : label.levels.length;
  const { intercept, slope } = probability.calibration ?? { intercept: 0, slope: 1 };
  // XGBoost answers the probability of the sum, so the calibration goes into leaves and base.
  const scale = isOneScore ? logOddsOf(1, link) * slope : 1;
  const outputs = Array.from({ length: classes }, (_, c) => c);
  // Each tree of boosting by softmax is of one class, in turn.
  const outputsOfTree = (nodes: TreePredictor["trees"][number]["nodes"], tree: number) => {
    const own = tree % classes;
    const isOwn = nodes.every(
      (node) => node.kind === "split" || node.values.every((value, c) => c === own || value === 0),
    );
    return link === "softmax" && isOwn ? [own] : outputs;
  };
  const trees = [
    // What every row begins with is a number of its own for each class there, and so a tree that asks nothing.
    ...(isOneScore ? [] : outputs.map((c) => [leafOnly(base[c]!), c] as const)),
    ...predictor.trees.flatMap(({ nodes }, t) =>
      outputsOfTree(nodes, t).map((c) => [ofOutput(nodes, c, scale), c] as const),
    ),
  ];
  const written = trees.map(([nodes], id) => treeJson({ nodes, id, columns, firstColumns, predictor }));
  return jsonText({
    learner: {
      attributes: {},
      feature_names: columns,
      feature_types: columns.map(() => "float"),
      gradient_booster: {
        model: {
          gbtree_model_param: {
            num_parallel_tree: "1",
            num_trees: String(written.length),
            size_leaf_vector: "0",
          },
          tree_info: trees.map(([, c]) => c),
          trees: written,
        },
        name: "gbtree",
      },
      learner_model_param: {
        // A probability for one score, whose log-odds are what rows begin with.
        base_score: isOneScore ? scientific(1 / (1 + Math.exp(-intercept - scale * base[0]!))) : "5E-1",
        boost_from_average: "1",
        num_class: isOneScore ? "0" : String(classes),
        num_feature: String(columns.length),
        num_target: "1",
      },
      objective: isOneScore
        ? { name: "binary:logistic", reg_loss_param: { scale_pos_weight: "1" } }
        : { name: "multi:softprob", softmax_multiclass_param: { num_class: String(classes) } },
    },
    version: [1, 7, 4],
  });
}

/**
 * The names of the columns that XGBoost sees: numbers under their own names, `name=level` for each level. It takes no
 * brackets and no <, which become _.
 */
export function xgboostColumns(inputs: readonly InputColumn[]): string[] {
  const taken = new Set<string>();
  return inputs
    .flatMap((input) =>
      input.type === "numeric" ? [input.name] : input.levels.map((level) => `${input.name}=${level}`),
    )
    .map((name) => {
      let free = name.replace(/[[\]<]/g, "_");
      while (taken.has(free)) free += "_";
      taken.add(free);
      return free;
    });
}

function firstColumnOf(inputs: readonly InputColumn[]): number[] {
  let next = 0;
  return inputs.map((input) => {
    const first = next;
    next += input.type === "numeric" ? 1 : input.levels.length;
    return first;
  });
}

type Nodes = TreePredictor["trees"][number]["nodes"];

const leafOnly = (value: number): Nodes => [{ kind: "leaf", values: [value], cover: 0 }];

/** The tree with one of its outputs. */
function ofOutput(nodes: Nodes, output: number, scale: number): Nodes {
  return nodes.map((node) =>
    node.kind === "leaf" ? { ...node, values: [node.values[output]! * scale] } : node,
  );
}

/** XGBoost's own mark of a root's parent. */
const noParent = 2_147_483_647;

/** A node in XGBoost's terms: rows with column `index` below `condition` go left. */
interface XgboostNode {
  readonly left: Nodes[number] | null;
  readonly right: Nodes[number] | null;
  readonly index: number;
  readonly condition: number;
  readonly missingLeft: boolean;
  readonly gain: number;
}

function xgboostNode(
  node: Nodes[number],
  nodes: Nodes,
  inputs: readonly InputColumn[],
  firstColumns: readonly number[],
): XgboostNode {
  if (node.kind === "leaf")
    return { left: null, right: null, index: 0, condition: node.values[0]!, missingLeft: false, gain: 0 };
  const input = inputs[node.feature]!;
  const first = firstColumns[node.feature]!;
  const [left, right] = [nodes[node.left]!, nodes[node.right]!];
  const { gain } = node;
  const cut = singleCut(node);
  if (input.type === "categorical") {
    // A column of 0 is below the condition: the level's own rows go right.
    return { left: right, right: left, index: first + cut, condition: 0.5, missingLeft: true, gain };
  }
  const edge = input.edges[cut]!;
  const missingLeft = input.missing !== null && input.missing < edge;
  return { left, right, index: first, condition: edge, missingLeft, gain };
}

function treeJson(options: {
  readonly nodes: Nodes;
  readonly id: number;
  readonly columns: readonly string[];
  readonly firstColumns: readonly number[];
  readonly predictor: TreePredictor;
}): unknown {
  const { nodes, id, columns, firstColumns, predictor } = options;
  // Level by level: XGBoost takes a node's right child to be the one after the left one.
  const order: Nodes[number][] = [nodes[0]!];
  const splits: XgboostNode[] = [];
  const leftChildren: number[] = [];
  const parents = [noParent];
  for (let i = 0; i < order.length; i++) {
    const split = xgboostNode(order[i]!, nodes, predictor.inputs, firstColumns);
    splits.push(split);
    leftChildren.push(split.left === null ? -1 : order.length);
    if (split.left === null || split.right === null) continue;
    order.push(split.left, split.right);
    parents.push(i, i);
  }
  return {
    base_weights: new Floats(splits.map(({ condition }, i) => (order[i]!.kind === "leaf" ? condition : 0))),
    categories: [],
    categories_nodes: [],
    categories_segments: [],
    categories_sizes: [],
    default_left: splits.map(({ missingLeft }) => Number(missingLeft)),
    id,
    left_children: leftChildren,
    loss_changes: new Floats(splits.map(({ gain }) => gain)),
    parents,
    right_children: leftChildren.map((left) => (left < 0 ? left : left + 1)),
    // A leaf's value stands where a split has its condition.
    split_conditions: new Floats(splits.map(({ condition }) => condition)),
    split_indices: splits.map(({ index }) => index),
    split_type: splits.map(() => 0),
    sum_hessian: new Floats(order.map(({ cover }) => cover)),
    tree_param: {
      num_deleted: "0",
      num_feature: String(columns.length),
      num_nodes: String(order.length),
      size_leaf_vector: "0",
    },
  };
}

/** As XGBoost writes a float32: it reads no number as such that looks like an integer. */
function scientific(value: number): string {
  return Math.fround(value).toExponential(8).toUpperCase();
}

/** A list of float32. */
class Floats {
  constructor(readonly values: readonly number[]) {}
}

function jsonText(value: unknown): string {
  if (value instanceof Floats) return `[${value.values.map(scientific).join(",")}]`;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${jsonText(field)}`);
  return `{${entries.join(",")}}`;
}
