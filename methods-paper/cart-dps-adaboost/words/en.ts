import type { Words } from "@consilium/words/said";
import type { CartDpsAdaboostSays } from "../says.js";

export const en: Words<CartDpsAdaboostSays> = {
  "cart-dps-adaboost.leaves": ({ label }) =>
    `in each leaf of a tree, for each level of ${label}: resampled rows, held-out rows and the sum of the rows' weights, added up over all sites`,
  "cart-dps-adaboost.nodes": ({ attributes, nodes, label, steps }) =>
    `rows of a weighted resample by interval of ${attributes} attributes in each of ${nodes} nodes of a tree, for each level of ${label}${steps === 0 ? "" : `, and how many rows have which weight, in ${steps} steps`}, added up over all sites`,
  "cart-dps-adaboost.learns": () =>
    "the aggregator: the exact sum over all sites; every site and reader: the trees",
  "cart-dps-adaboost.noise": () =>
    "none in the sum; the aggregator adds Laplace noise and draws by the exponential mechanism",
};
