import type { Words } from "@consilium/words/said";
import type { DpHistBoostSays } from "../says.js";

export const en: Words<DpHistBoostSays> = {
  "dp-histboost.splits": ({ features, level, nodes, label }) =>
    `the rows' weights (0 to 1, from the trees before) by value of ${features} ${features === 1 ? "feature" : "features"} ${level === 1 ? "at the root" : `in each of the ${nodes} nodes of level ${level}`} of a tree, separately for each value of ${label}`,
  "dp-histboost.leaves": ({ leaves, label }) =>
    `the rows' weights (0 to 1, from the trees before) in each of the ${leaves} leaves of a tree, separately for each value of ${label}`,
  "dp-histboost.few-rows": ({ expected, level, depth, units }, { say }) =>
    `${say(expected)} nodes below level ${level} of ${depth} will hardly ever split, because their ${say(units)} drown in the noise: ask less depth or fewer trees, lower guard, raise epsilon, or invite more sites`,
  "dp-histboost.node-features": ({ asked, features }) =>
    `${asked} features for each node of ${features} declared; ask at most ${features}`,
  "dp-histboost.long-stage": ({ numbers, max }) =>
    `a stage of ${numbers} numbers is over the limit of ${max}; ask less depth, bins or featuresPerNode`,
  "dp-histboost.ring": () =>
    "noise of this size does not fit 64-bit numbers; raise epsilon, ask fewer trees, or lower maxRowsPerSite or patient.maxRows",
  "dp-histboost.never-splits": ({ trees, depth, needed, units, rows }, { say }) =>
    `with ${trees} trees of depth ${depth} at this epsilon a node splits only with ${needed} ${say(units)} or more, and the study has at most ${rows}: ask fewer trees or less depth, lower guard, raise epsilon, or invite more sites`,
};
