import type { Words } from "@consilium/words/said";
import type { DpPccSays } from "../says.js";

export const de: Words<DpPccSays> = {
  "dp-pcc.sent": ({ level, nodes, features, label }, { number }) =>
    `Anzahlen der Zeilen ${level === 1 ? "an der Wurzel des Baums" : `nach den ${number(nodes)} Knoten der Ebene ${level}`}, nach den Klassen jedes der ${number(features)} Merkmale und nach ${label}`,
  "dp-pcc.few-rows": ({ expected, level, depth, needed, units }, { say, number }) =>
    `${say(expected)} lässt sich Ebene ${level} von ${depth} kaum teilen: eine Seite eines Schnitts muss ${number(needed)} ${say(units)} enthalten, um sich vom Rauschen abzuheben; erhöhen Sie epsilon, deklarieren Sie weniger Merkmale, oder verringern Sie bins, guard oder depth`,
};
