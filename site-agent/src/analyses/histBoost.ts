import { ConsiliumError } from "@consilium/core/errors";
import { histBoostVector } from "@consilium/core/learning/histBoost/siteVector";
import { asHistBoost } from "@consilium/core/study/histBoost";
import type { SiteAnalysis } from "./analysis.js";

/** DP-HistBoost from a site's seat: integers without noise; its share is added where the vector is masked. */
export const histBoost: SiteAnalysis = {
  // Anyone who takes part, with how many rows and of which class, must show in nothing but the noisy sum.
  demands: () => ({ minimumRows: 0, refuseConstant: false }),

  vector: (id, input) => histBoostVector(asHistBoost(input.study), id, input),

  rows(id) {
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-histboost has no rows stage ${id}`);
  },
};
