import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asCartAdaboost } from "./study.js";
import { cartAdaboostVector } from "./vector.js";

/** CART-DPsAdaBoost [JQM21] (site side): exact counts of its rows. */
export const site: SiteSide = {
  // Who takes part, with how many rows and of which class, must show in nothing but the sum.
  demands: () => anyTable,
  vector: (id, input) => cartAdaboostVector(asCartAdaboost(input.study), id, input),
};
