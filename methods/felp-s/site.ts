import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { felpSVector } from "./blocks.js";
import { asFelpS } from "./study.js";

/** felp-s (site side): integers without noise; its share is added where the vector is masked. */
export const site: SiteSide = {
  // A site that can tell nothing apart abstains, so that no refusal says anything of its table.
  demands: () => anyTable,
  vector: (id, input) => felpSVector(asFelpS(input.study), id, input, input.pause),
};
