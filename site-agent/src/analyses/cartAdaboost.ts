import { ConsiliumError } from "@consilium/core/errors";
import { cartAdaboostVector } from "@consilium/core/learning/cartAdaboost/siteVector";
import { asCartAdaboost } from "@consilium/core/study/cartAdaboost";
import type { SiteAnalysis } from "./analysis.js";

/** CART-DPsAdaBoost [JQM21] from a site's seat: exact counts of its rows. */
export const cartAdaboost: SiteAnalysis = {
  demands: () => ({ minimumRows: 0, refuseConstant: false }),

  vector: (id, input) => cartAdaboostVector(asCartAdaboost(input.study), id, input),

  rows(id) {
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `cart-dps-adaboost has no rows stage ${id}`);
  },
};
