import { setImmediate } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { felpAVector } from "@consilium/core/learning/felp/anchors";
import { felpSVector } from "@consilium/core/learning/felp/blocks";
import { paperFelpVector } from "@consilium/core/learning/felp/paper";
import { asFeatureSelection } from "@consilium/core/study/featureSelection";
import { paperFelpStage } from "@consilium/core/study/paperFelp";
import type { SiteAnalysis } from "./analysis.js";

/** Lets connections be served during a long search for neighbours. */
const pause = async (): Promise<void> => {
  await setImmediate();
};

/** feature-selection from a site's seat, in all its methods. */
export const featureSelection: SiteAnalysis = {
  // A site that can tell nothing apart abstains, so that no refusal says anything of its table.
  demands: () => ({ minimumRows: 0, refuseConstant: false }),

  async vector(stage, input) {
    const study = asFeatureSelection(input.study);
    switch (study.method) {
      case "felp-a":
        return felpAVector(study, stage, input);
      case "felp-s":
        return felpSVector(study, stage, input, pause);
      default:
        if (stage !== paperFelpStage)
          throw new ConsiliumError("MESSAGE_UNEXPECTED", `${study.method} has no sum stage ${stage}`);
        return paperFelpVector(study, input, pause);
    }
  },

  rows(stage) {
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `feature-selection has no rows stage ${stage}`);
  },
};
