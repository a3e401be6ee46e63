import { ConsiliumError } from "@consilium/core/errors";
import { correlationTreeVector } from "@consilium/core/learning/correlationTree/vector";
import type { SiteAnalysis } from "./analysis.js";

/** A correlation tree from a site's seat: integers without noise; its share is added where the vector is masked. */
export const correlationTree: SiteAnalysis = {
  // Anyone who takes part, with how many rows and of which classes, must show in nothing but the sum.
  demands: () => ({ minimumRows: 0, refuseConstant: false }),

  async vector(id, input) {
    return correlationTreeVector(input.study, id, input);
  },

  rows(id) {
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `a correlation tree has no rows stage ${id}`);
  },
};
