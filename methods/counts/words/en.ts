import type { Words } from "@consilium/words/said";
import type { CountsSays } from "../says.js";

export const en: Words<CountsSays> = {
  "counts.sent": ({ units, conditions, named, more, groups }, { say, names }) =>
    `how many ${say(units)} meet each of ${conditions} ${conditions === 1 ? "condition" : "conditions"} (${names(named, more)})${groups === 1 ? "" : `, by ${groups} groups of sites`}`,
};
