import type { Words } from "@consilium/words/said";
import type { PearsonTreeSays } from "../says.js";

export const en: Words<PearsonTreeSays> = {
  "pearson-tree.node": ({ label, attributes }) =>
    `of one node of the tree, counts of rows by ${label}, and of each of the ${attributes} attributes that no split has taken yet the largest correlation of a cut in each subset of rows and the cut itself, which is a value of a row`,
  "pearson-tree.level": ({ level, label, attributes }) =>
    `by node of level ${level}, counts of rows by ${label}, and of each of ${attributes} attributes the largest correlation of a cut in each subset of rows and the cut itself, which is a value of a row`,
  "pearson-tree.learns-splits": () =>
    "the aggregator: the exact sums over all sites; every reader: the mean cuts that split the tree",
  "pearson-tree.learns-leaves": ({ noise }) =>
    `the aggregator${noise === 0 ? " and every reader: the sum over all sites" : ": the exact sum over all sites; every reader: the sum with the noise that the aggregator adds"}`,
  "pearson-tree.noise": () =>
    "none in the sum, which is exact; the aggregator adds Laplace noise before it publishes",
  "pearson-tree.many-sums": ({ nodes, depth }) =>
    `up to ${nodes} nodes are split one after the other, each with a sum of its own; order: breadth-first needs ${depth} sums, and is not as published`,
  "pearson-tree.small-subsets": ({ subsets, rows, min }) =>
    `${subsets} subsets of at most ${rows} rows at a site hold fewer than ${min} rows each, whose largest correlation is chance; lower partitions`,
  "pearson-tree.no-effect": () => "scoreSensitivity has no effect with selection: argmax",
  "pearson-tree.any-drawn": ({ subsets, times }) =>
    `with at most ${subsets} subsets the drawn attributes are close to any: the best is drawn at most ${Number(times).toPrecision(2)} times as often as one of no correlation; raise epsilon or partitions`,
  "pearson-tree.cuts": () =>
    "Cuts are values of records, or means of a few of them, and are published without any noise.",
  "pearson-tree.sensitivity": () =>
    "The sensitivity of the correlation is not given; one record can change it by 1 in a subset of any size.",
  "pearson-tree.argmax": () =>
    "The text selects the attribute with the largest probability instead of drawing one, which protects nothing.",
  "pearson-tree.levels-again": () =>
    "Every level spends the selection's budget again, so the sum of both budgets understates the total.",
  "pearson-tree.one-class": () =>
    "Whether a node has one class only decides without noise where the tree ends.",
  "pearson-tree.removed": () =>
    "Each attribute is removed from the whole tree, so nodes of one level are not independent questions to separate records.",
  "pearson-tree.depth": ({ depth, attributes }) =>
    `${depth} levels of ${attributes} ${attributes === 1 ? "attribute" : "attributes"}, each asked once; ask at most ${attributes}`,
  "pearson-tree.long-stage": ({ numbers, max }) =>
    `a stage of ${numbers} numbers is over the limit of ${max}; lower depth, or declare fewer features or levels`,
  "pearson-tree.many-nodes": ({ depth, attributes, nodes, max }) =>
    `a depth-first tree of ${depth} levels and ${attributes} attributes has up to ${nodes} nodes to split, a stage each, over the limit of ${max}; lower depth, or set order: breadth-first`,
  "pearson-tree.large-table": ({ rows, features, max }) =>
    `the method sorts a site's table in memory: ${rows} rows of ${features} features are over the limit of ${max} numbers; lower it, declare fewer features, or use dp-pcc, which reads a table row by row`,
  "pearson-tree.tasks-category": ({ column }) =>
    `name a categorical feature of the study: its levels are the map tasks; "${column}" is none`,
  "pearson-tree.tasks-map": ({ column }) =>
    `"${column}" has a map: the map tasks are the column's values as the table has them`,
  "pearson-tree.tasks-alone": () => "the tree does not split by it; declare further features",
  "pearson-tree.many-tasks": ({ column, levels, max }) =>
    `"${column}" has ${levels} levels, at most ${max} are map tasks`,
  "pearson-tree.tasks-partitions": () => "in place of partitions: leave one of them out",
  "pearson-tree.node-after-last": ({ stage }) => `stage ${stage} asks for a node after the last one`,
  "pearson-tree.leaves-early": ({ stage }) =>
    `stage ${stage} asks for leaves before the last node was visited`,
  "pearson-tree.split-after-last": ({ stage }) => `stage ${stage} splits a node after the last one`,
  "pearson-tree.no-attribute": ({ stage }) => `stage ${stage} splits a node by no attribute of the study`,
  "pearson-tree.cut-outside": ({ stage, column }) => `stage ${stage} cuts "${column}" outside its bounds`,
  "pearson-tree.split-below": () => "a node is split below one that was not",
  "pearson-tree.asked-twice": () => "an attribute is asked twice in the tree",
};
