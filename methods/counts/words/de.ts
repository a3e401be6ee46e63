import type { Words } from "@consilium/words/said";
import type { CountsSays } from "../says.js";

export const de: Words<CountsSays> = {
  "counts.sent": ({ units, conditions, named, more, groups }, { say, number, names }) =>
    `wie viele ${say(units)} ${conditions === 1 ? "die Bedingung" : `jede von ${number(conditions)} Bedingungen`} erfüllen (${names(named, more)})${groups === 1 ? "" : `, nach ${number(groups)} Gruppen von Standorten`}`,
  "counts.few": ({ expected, needed, units, grouped, percent, factor }, { say, number }) =>
    `${say(expected)} müssen mehr als ${number(needed)} ${say(units)}${grouped === 0 ? "" : " einer durchschnittlichen Gruppe von Standorten"} eine Bedingung erfüllen (${percent === null ? "mehr, als es gibt" : `${number(percent)} % von ihnen`}), damit sie sich vom Rauschen abhebt; fragen Sie nach weniger Bedingungen oder Gruppen, oder erhöhen Sie epsilon etwa auf das ${number(factor)}-fache, um ein Zehntel zu sehen`,
};
