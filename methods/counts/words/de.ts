import type { Words } from "@consilium/words/said";
import type { CountsSays } from "../says.js";

export const de: Words<CountsSays> = {
  "counts.sent": ({ units, conditions, named, more, groups }, { say, number, names }) =>
    `wie viele ${say(units)} ${conditions === 1 ? "die Bedingung" : `jede von ${number(conditions)} Bedingungen`} erfüllen (${names(named, more)})${groups === 1 ? "" : `, nach ${number(groups)} Gruppen von Standorten`}`,
};
