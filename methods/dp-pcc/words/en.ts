import type { Words } from "@consilium/words/said";
import type { DpPccSays } from "../says.js";

export const en: Words<DpPccSays> = {
  "dp-pcc.sent": ({ level, nodes, features, label }) =>
    `counts of rows by ${level === 1 ? "the root of the tree" : `the ${nodes} nodes of level ${level}`}, by the bins of each of the ${features} features and by ${label}`,
  "dp-pcc.few-rows": ({ expected, level, depth, needed, units }, { say }) =>
    `${say(expected)} level ${level} of ${depth} can hardly be split: a side of a cut must hold ${needed} ${say(units)} to stand out of the noise; raise epsilon, declare fewer features, or lower bins, guard or depth`,
  "dp-pcc.long-stage": ({ numbers, max }) =>
    `a stage of ${numbers} numbers is over the limit of ${max}; lower depth or bins, or declare fewer features`,
  "dp-pcc.guard": ({ needed, units, rows }, { say }) =>
    `each side of a cut must hold ${needed} ${say(units)} to stand out of the noise, and there are at most ${rows} in all; raise epsilon, declare fewer features, or lower bins, guard or depth`,
};
