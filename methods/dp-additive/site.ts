import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asAdditive } from "./study.js";
import { additiveProposal } from "./vector.js";

/** Additive boosting at a site: integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // That a site takes part, with how many rows and of which class, must show in nothing but the noisy sum.
  demands: () => anyTable,
  proposal: (id, input) => additiveProposal(asAdditive(input.study), id, input),
};
