import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asDpKa } from "./study.js";
import { dpKaVector } from "./vector.js";

/** dp-ka (site side): integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // Who takes part, with how many rows and of which classes, must show in nothing but what the plan lists.
  demands: () => anyTable,
  vector: (id, input) => dpKaVector(asDpKa(input.study), id, input),
};
