import { ConsiliumError } from "@consilium/core/errors";
import { toldBall } from "@consilium/core/learning/dpPcaBall";
import { dpPcaVector } from "@consilium/core/learning/dpPcaVectors";
import { asDpPca, directionsName, dpPcaLayout } from "@consilium/core/study/dpPca";
import type { SiteAnalysis } from "./analysis.js";

/** dp-pca from a site's seat: integers without noise; its share is added where the vector is masked. */
export const dpPca: SiteAnalysis = {
  // Anyone who takes part, and with how many rows, must show in nothing but the noisy sum.
  demands: () => ({ minimumRows: 0, refuseConstant: false }),

  async vector(id, input) {
    const study = asDpPca(input.study);
    const layout = dpPcaLayout(study);
    const stage = layout.stages.find((one) => one.id === id);
    if (stage === undefined) throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-pca has no sum stage ${id}`);
    const directions = stage.directed ? input.broadcasts.get(id)?.[directionsName] : null;
    if (directions === undefined) {
      throw new ConsiliumError("FIELD_INVALID", `stage ${id} was not sent "${directionsName}"`);
    }
    const ball = toldBall(layout, stage, input.broadcasts);
    return dpPcaVector({ ...input, study, stage, directions, ball });
  },

  rows(id) {
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-pca has no rows stage ${id}`);
  },
};
