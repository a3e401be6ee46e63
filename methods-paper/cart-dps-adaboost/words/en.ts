import type { Words } from "@consilium/words/said";
import type { CartDpsAdaboostSays } from "../says.js";

export const en: Words<CartDpsAdaboostSays> = {
  "cart-dps-adaboost.leaves": ({ label }) =>
    `in each leaf of a tree, for each level of ${label}: resampled rows, held-out rows and the sum of the rows' weights, added up over all sites`,
  "cart-dps-adaboost.nodes": ({ attributes, nodes, label, steps }) =>
    `rows of a weighted resample by interval of ${attributes} attributes ${nodes === 1 ? "at the root" : `in each of the ${nodes} nodes`} of a tree, for each level of ${label}${steps === 0 ? "" : `, and how many rows have which weight, in ${steps} steps`}, added up over all sites`,
  "cart-dps-adaboost.learns": () =>
    "the aggregator: the exact sum over all sites; every site and reader: the trees",
  "cart-dps-adaboost.noise": () =>
    "none in the sum; the aggregator adds Laplace noise and draws by the exponential mechanism",
  "cart-dps-adaboost.weighted": () =>
    "with budget: weighted each tree takes epsilon/trees - ln α, at most what is left of epsilon: the run ends where that is not positive, after fewer than all trees as a rule",
  "cart-dps-adaboost.weights-together": () =>
    "The weights of all rows are normalised together, so one record changes every row's weight and every count.",
  "cart-dps-adaboost.resampled": () =>
    "The resample can hold a record many times, and no amplification by sampling is proven.",
  "cart-dps-adaboost.exact-counts": () =>
    "Purity, the choice among attributes, cuts of categories, pruning, τ and α are computed from exact counts.",
  "cart-dps-adaboost.largest-weight": () =>
    "The largest weight, which scales the noise, is itself taken from the records.",
  "cart-dps-adaboost.budget": () =>
    "With `budget: weighted` the budget of a tree depends on α, which is computed from the records.",
  "cart-dps-adaboost.noise-afterwards": () =>
    "The sums reach the aggregator exactly: it adds the noise afterwards, in the place of the authors' data owner.",
  "cart-dps-adaboost.node-features": ({ asked, features }) =>
    `${asked} of ${features} features; ask at most ${features}`,
  "cart-dps-adaboost.long-stage": ({ numbers, max }) =>
    `a stage of ${numbers} numbers is over the limit of ${max}; ask less depth, bins or attributes`,
  "cart-dps-adaboost.many-rows": ({ rows }) =>
    `weights of ${rows} rows do not fit 64-bit sums; name the sites, or lower maxRowsPerSite`,
};
