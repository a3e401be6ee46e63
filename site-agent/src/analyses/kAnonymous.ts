import {
  kAnonymousRows,
  kAnonymousTags,
  kAnonymousVector,
} from "@consilium/core/learning/kAnonymous/vectors";
import { asKAnonymous } from "@consilium/core/study/kAnonymous";
import type { SiteAnalysis } from "./analysis.js";

/** Features selected under K-anonymity, from a site's seat: sums, tags with counts, and rows of the published methods. */
export const kAnonymous: SiteAnalysis = {
  // Anyone who takes part, with how many rows and of which classes, must show in nothing but what the plan lists.
  demands: () => ({ minimumRows: 0, refuseConstant: false }),

  async vector(id, input) {
    return kAnonymousVector(asKAnonymous(input.study), id, input);
  },

  async tags(id, input) {
    return kAnonymousTags(asKAnonymous(input.study), id, input);
  },

  rows(id, input) {
    return kAnonymousRows(asKAnonymous(input.study), id, input);
  },
};
