import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asHistBoost } from "./study.js";
import { histBoostVector } from "./vector.js";

/** DP-HistBoost (site side): integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // Who takes part, with how many rows and of which class, must show in nothing but the noisy sum.
  demands: () => anyTable,
  vector: (id, input) => histBoostVector(asHistBoost(input.study), id, input),
};
