import { ConsiliumError } from "@consilium/core/errors";
import { additiveVector } from "@consilium/core/learning/additive/siteVector";
import { asAdditive } from "@consilium/core/study/additive";
import type { SiteAnalysis } from "./analysis.js";

/** Additive boosting at a site: integers without noise; its share is added where the vector is masked. */
export const additive: SiteAnalysis = {
  // That a site takes part, with how many rows and of which class, must show in nothing but the noisy sum.
  demands: () => ({ minimumRows: 0, refuseConstant: false }),

  vector: (id, input) => additiveVector(asAdditive(input.study), id, input),

  rows(id) {
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-additive has no rows stage ${id}`);
  },
};
