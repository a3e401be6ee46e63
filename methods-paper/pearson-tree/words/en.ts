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
};
