import type { Words } from "@consilium/words/said";
import type { DpPccSays } from "../says.js";

export const de: Words<DpPccSays> = {
  "dp-pcc.sent": ({ level, nodes, features, label }, { number }) =>
    `Anzahlen der Zeilen ${level === 1 ? "an der Wurzel des Baums" : `nach den ${number(nodes)} Knoten der Ebene ${level}`}, nach den Klassen jedes der ${number(features)} Merkmale und nach ${label}`,
  "dp-pcc.few-rows": ({ expected, level, depth, needed, units }, { say, number }) =>
    `${say(expected)} lässt sich Ebene ${level} von ${depth} kaum teilen: eine Seite eines Schnitts muss ${number(needed)} ${say(units)} enthalten, um sich vom Rauschen abzuheben; erhöhen Sie epsilon, deklarieren Sie weniger Merkmale, oder verringern Sie bins, guard oder depth`,
  "dp-pcc.long-stage": ({ numbers, max }) =>
    `eine Stufe von ${numbers} Zahlen ist größer als die zulässigen ${max}; senken Sie depth oder bins, oder deklarieren Sie weniger Merkmale`,
  "dp-pcc.guard": ({ needed, units, rows }, { say }) =>
    `jede Seite eines Schnitts muss ${needed} ${say(units)} enthalten, um sich vom Rauschen abzuheben, und es gibt insgesamt höchstens ${rows}; erhöhen Sie epsilon, deklarieren Sie weniger Merkmale, oder senken Sie bins, guard oder depth`,
};
