import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { noStage } from "@consilium/methods/shared/plans/broadcastFaults";
import { paperFelpVector } from "./paper.js";
import { asPaperFelp, paperFelpStage } from "./study.js";

/** FELP and its relatives [LYJ16] (site side). */
export const site: SiteSide = {
  // A site that can tell nothing apart abstains, so that no refusal says anything of its table.
  demands: () => anyTable,

  async vector(stage, input) {
    if (stage !== paperFelpStage) throw noStage(input.study.method, stage);
    return paperFelpVector(asPaperFelp(input.study), input, input.pause);
  },
};
