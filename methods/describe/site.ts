import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asDescribe } from "./study.js";
import { describeProposal } from "./vector.js";

/** Descriptive statistics at a site: integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // That a site takes part, and with how many rows, must show in nothing but the noisy sum.
  demands: () => anyTable,
  proposal: (id, { study }) => describeProposal(asDescribe(study), id),
};
