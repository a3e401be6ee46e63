import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asCounts } from "./study.js";
import { countsProposal } from "./vector.js";

/** Counts of conditions at a site: integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // That a site takes part, and with how many rows, must show in nothing but the noisy sum.
  demands: () => anyTable,
  proposal: (id, { study, site: own }) => countsProposal(asCounts(study), id, own),
};
