import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asPearsonTree } from "./study.js";
import { pearsonVector } from "./vector.js";

/** The decision tree by Pearson's correlation [MLW18] (site side): exact integers. */
export const site: SiteSide = {
  // Who takes part, with how many rows and of which classes, must show in nothing but the sum.
  demands: () => anyTable,
  vector: (id, input) => pearsonVector(asPearsonTree(input.study), id, input),
};
