import type { Words } from "@consilium/words/said";
import type { CountsSays } from "../says.js";

export const en: Words<CountsSays> = {
  "counts.sent": ({ units, conditions, named, more, groups }, { say, names }) =>
    `how many ${say(units)} meet each of ${conditions} ${conditions === 1 ? "condition" : "conditions"} (${names(named, more)})${groups === 1 ? "" : `, by ${groups} groups of sites`}`,
  "counts.few": ({ expected, needed, units, grouped, percent, factor }, { say }) =>
    `${say(expected)} a condition must be met by more than ${needed} ${say(units)}${grouped === 0 ? "" : " in an average group of sites"} (${percent === null ? "more than there are" : `${percent} % of them`}) to stand out of the noise; ask fewer conditions or groups, or raise epsilon about ${factor}-fold to see a tenth`,
};
