import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asRegression } from "./study.js";
import { regressionProposal } from "./vector.js";

/** A regression at a site: integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // That a site takes part, with how many rows and of which outcome, must show in nothing but the noisy sum.
  demands: () => anyTable,
  proposal: (id, input) => regressionProposal(asRegression(input.study), id, input),
};
