import type { Words } from "@consilium/words/said";
import type { DpAdditiveSays } from "../says.js";

export const en: Words<DpAdditiveSays> = {
  "dp-additive.sent": ({ features }) =>
    `first and second derivatives of the rows' log loss at each bin of each of the ${features} features`,
};
