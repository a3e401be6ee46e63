import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asDpPcc } from "./study.js";
import { dpPccVector } from "./vector.js";

/** dp-pcc (site side): integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // Who takes part, with how many rows and of which classes, must show in nothing but the sum.
  demands: () => anyTable,
  vector: (id, input) => dpPccVector(asDpPcc(input.study), id, input),
};
