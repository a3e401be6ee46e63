import type { Words } from "@consilium/words/said";
import type { DpKaSays } from "../says.js";

export const de: Words<DpKaSays> = {
  "dp-ka.rows": () => "die Anzahl der Zeilen",
  "dp-ka.test": ({ max }, { number }) =>
    `Anzahlen der Zeilen nach den Kombinationen der Klassen einiger Merkmale, höchstens ${number(max)}`,
  "dp-ka.table": ({ max, label }, { number }) =>
    `Anzahlen der Zeilen nach den Kombinationen der Klassen der ausgewählten Merkmale, höchstens ${number(max)}, und nach ${label}`,
  "dp-ka.one-round": ({ counts }, { say }) => `${say(counts)}, um die Merkmale in einem Schritt zu ordnen`,
  "dp-ka.because": ({ what, reason }, { say }) => `${say(what)} (${say(reason)})`,
  "dp-ka.many-classes": ({ classes }, { number }) =>
    `Boosting braucht zwei Klassen, und es sind ${number(classes)}`,
  "dp-ka.training-rows": ({ rows, units, needed }, { say, number }) =>
    `etwa ${number(rows)} ${say(units)} werden für das Training erwartet, und die Teilungen des Boostings brauchen ${number(needed)}, um sich vom Rauschen abzuheben`,
};
