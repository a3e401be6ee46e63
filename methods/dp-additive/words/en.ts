import type { Words } from "@consilium/words/said";
import type { DpAdditiveSays } from "../says.js";

export const en: Words<DpAdditiveSays> = {
  "dp-additive.sent": ({ features }) =>
    `first and second derivatives of the rows' log loss at each bin of each of the ${features} features`,
  "dp-additive.few-rows": ({ expected, needed, units }, { say }) =>
    `${say(expected)} stumps are likely to predict as well or better: for a curve's bin to stand out of its noise it takes about ${needed} ${say(units)} in training; use method: dp-histboost with depth: 1, declare fewer features or bins, or raise epsilon`,
  "dp-additive.better": ({ expected, features, depth }, { say }) =>
    `${say(expected)} dp-additive is likely to predict better: its curves of all ${features} features stand out of the noise, and a path of this tree asks at most ${depth} of them; keep the tree where its rules are what is wanted, or use analysis: boosted-trees with method: dp-additive`,
  "dp-additive.long-stage": ({ numbers, max }) =>
    `a stage of ${numbers} numbers is over the limit of ${max}; declare fewer bins`,
  "dp-additive.ring": () =>
    "noise of this size does not fit 64-bit numbers; raise epsilon, ask fewer epochs, or lower maxRowsPerSite or patient.maxRows",
};
