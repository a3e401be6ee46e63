/**
 * The one representation of a tree: of every tree learner, in model.json, and of what is exported from it. Cuts are of
 * bins (`methods/shared/columns/binning.ts`).
 */

/**
 * A question to a row. Ordered feature: bins up to `cut` go left, that is x < edges[cut]. Nominal feature: the level `cut`,
 * or the levels of `cut`, go left, all others right.
 */
export interface Split {
  /** Index into the study's features. */
  readonly feature: number;
  /**
   * From 0; below bins-1 for an ordered feature, below bins for a nominal one. A set of levels, of a nominal feature alone:
   * ascending, at least one, not all.
   */
  readonly cut: number | readonly number[];
}

/** The one cut of a split of a method that splits by no sets. @throws RangeError for a set of levels */
export function singleCut({ cut }: Split): number {
  if (typeof cut === "number") return cut;
  throw new RangeError("a set of levels where one cut was expected");
}

/** What is wrong with a set of levels as a nominal feature's cut; null where nothing is. */
export function levelSetFault(cut: readonly number[], levels: number): string | null {
  if (cut.length === 0 || cut.length >= levels) return `${cut.length} of ${levels} levels go left`;
  const isAscending = cut.every((level, i) => level < levels && level > (cut[i - 1] ?? -1));
  return isAscending ? null : "a set of levels is not ascending, or has a level that the feature lacks";
}

export interface SplitNode extends Split {
  readonly kind: "split";
  /** What the split gained by the method's own measure, as the aggregator saw it. */
  readonly gain: number;
  /** The weight of the rows that reach the node, as the aggregator saw it. */
  readonly cover: number;
  /** Indices of the children in the tree's nodes, both greater than the node's own. */
  readonly left: number;
  readonly right: number;
}

export interface LeafNode {
  readonly kind: "leaf";
  /** What a row that ends here adds to each output of the model. */
  readonly values: readonly number[];
  readonly cover: number;
}

export type TreeNode = SplitNode | LeafNode;

/** Nodes, the root first. */
export interface Tree {
  readonly nodes: readonly TreeNode[];
}

/** Trees whose leaves add up. */
export interface TreeEnsemble {
  readonly trees: readonly Tree[];
  /** What every row begins with, one number per output. */
  readonly base: readonly number[];
  /**
   * How outputs become a class, and what the method's loss makes of them. `logistic`: one output, the log-odds of the second
   * class. `margin`: one output, the second class where it is positive, and twice it as log-odds. `classes`: one output
   * per class, the first largest one, each its part of the sum. `softmax`: one output per class, the first largest one, each
   * its log-odds but for a number that all share. Probabilities: `link.ts`.
   */
  readonly link: "logistic" | "margin" | "classes" | "softmax";
}

/** Whether the one output stands for both of two classes. */
export const isOneOutput = (link: TreeEnsemble["link"]): boolean => link === "logistic" || link === "margin";

/** The leaf that a row comes to. @param binAt - the row's bin of a feature */
export function leafOf(
  tree: Tree,
  kinds: readonly ("ordered" | "nominal")[],
  binAt: (feature: number) => number,
): LeafNode {
  let node = tree.nodes[0]!;
  while (node.kind === "split")
    node = tree.nodes[goesLeft(node, kinds[node.feature]!, binAt(node.feature)) ? node.left : node.right]!;
  return node;
}

export function goesLeft(split: Split, kind: "ordered" | "nominal", bin: number): boolean {
  const { cut } = split;
  if (typeof cut !== "number") return cut.includes(bin);
  return kind === "ordered" ? bin <= cut : bin === cut;
}

/** A row's outputs: the base and its leaf of every tree, added in their order. */
export function outputsOf(
  ensemble: TreeEnsemble,
  kinds: readonly ("ordered" | "nominal")[],
  binAt: (feature: number) => number,
): Float64Array {
  const outputs = Float64Array.from(ensemble.base);
  for (const tree of ensemble.trees) {
    const { values } = leafOf(tree, kinds, binAt);
    for (let i = 0; i < outputs.length; i++) outputs[i]! += values[i]!;
  }
  return outputs;
}

/** The class that outputs stand for; ties go to the first. */
export function classOf(outputs: Float64Array, link: TreeEnsemble["link"]): number {
  if (isOneOutput(link)) return outputs[0]! > 0 ? 1 : 0;
  let best = 0;
  for (let i = 1; i < outputs.length; i++) if (outputs[i]! > outputs[best]!) best = i;
  return best;
}
