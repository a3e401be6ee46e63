import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { asPaperKa } from "./study.js";
import { paperKaRows, paperKaTags, paperKaVector } from "./vector.js";

/** XGB-KA and Greedy-Hamdist (site side): sums, tags with counts, and rows. */
export const site: SiteSide = {
  // Who takes part, with how many rows and of which classes, must show in nothing but what the plan lists.
  demands: () => anyTable,
  vector: (id, input) => paperKaVector(asPaperKa(input.study), id, input),
  tags: (id, input) => paperKaTags(asPaperKa(input.study), id, input),
  rows: (id, input) => paperKaRows(asPaperKa(input.study), id, input),
};
