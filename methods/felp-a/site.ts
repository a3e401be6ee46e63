import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { felpAVector } from "./anchors.js";
import { asFelpA } from "./study.js";

/** felp-a (site side): integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // A site that can tell nothing apart abstains, so that no refusal says anything of its table.
  demands: () => anyTable,
  vector: (id, input) => felpAVector(asFelpA(input.study), id, input),
};
