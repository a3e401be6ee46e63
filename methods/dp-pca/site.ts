import { ConsiliumError } from "@consilium/core/errors";
import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { toldBall } from "./chosenBall.js";
import { asDpPca, directionsName, dpPcaLayout } from "./study.js";
import { dpPcaVector } from "./vector.js";

/** dp-pca (site side): integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // Who takes part, and with how many rows, must show in nothing but the noisy sum.
  demands: () => anyTable,

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
};
