import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { noStage, notSent } from "../shared/plans/broadcastFaults.js";
import { toldBall } from "./chosenBall.js";
import { asDpPca, directionsName, dpPcaLayout } from "./study.js";
import { dpPcaProposal } from "./vector.js";

/** dp-pca (site side): integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // Who takes part, and with how many rows, must show in nothing but the noisy sum.
  demands: () => anyTable,

  proposal(id, input) {
    const study = asDpPca(input.study);
    const layout = dpPcaLayout(study);
    const stage = layout.stages.find((one) => one.id === id);
    if (stage === undefined) throw noStage("dp-pca", id);
    const directions = stage.directed ? input.broadcasts.get(id)?.[directionsName] : null;
    if (directions === undefined) {
      throw notSent(id, directionsName);
    }
    const ball = toldBall(layout, stage, input.broadcasts);
    return dpPcaProposal({ study, stage, directions, ball });
  },
};
