import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asDpPccS } from "./study.js";
import { dpPccSVector } from "./vector.js";

/** dp-pcc-s (site side): integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // Who takes part, with how many rows and of which classes, must show in nothing but the sum.
  demands: () => anyTable,
  vector: (id, input) => dpPccSVector(asDpPccS(input.study), id, input),
};
