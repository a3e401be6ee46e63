import type { Words } from "@consilium/words/said";
import type { FelpSSays } from "../says.js";

export const en: Words<FelpSSays> = {
  "felp-s.sent": ({ features, blocks }) =>
    `weights of the ${features} features, learned in each of ${blocks} blocks of rows drawn by lot, cut at 0 and to length 1`,
};
