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
  "dp-ka.large-features": ({ max, features, more }) =>
    `nie ausgewählt, weil sie mehr als maxCells = ${max} Klassen haben: ${features.map((one) => `„${one}“`).join(", ")}${more === 0 ? "" : ` und ${more} weitere`}`,
  "dp-ka.few-rows": ({ expected, needed, units }, { say, number }) =>
    `${say(expected)} können kaum zwei Merkmale zusammen ausgewählt werden: eine Gruppe muss ${number(needed)} ${say(units)} zeigen, um sich vom Rauschen eines Tests abzuheben; erhöhen Sie epsilon, oder deklarieren Sie weniger Merkmale oder Klassen`,
  "dp-ka.order-noise": ({ expected, needed, units }, { say, number }) =>
    `${say(expected)} ist die Reihenfolge der Merkmale vor allem Rauschen: selbst eines, das die Hälfte der Zielgröße entscheidet, braucht ${number(needed)} ${say(units)} für das Training, um sich abzuheben; erhöhen Sie epsilon oder budget.importance, oder deklarieren Sie weniger Merkmale oder Klassen`,
  "dp-ka.order-declared": ({ expected, needed, units }, { say, number }) =>
    `${say(expected)} ist die Reihenfolge der Merkmale vor allem die ihrer Deklaration: eine Seite einer Teilung braucht ${number(needed)} ${say(units)}, um sich vom Rauschen abzuheben; schreiben Sie order: histogram, erhöhen Sie epsilon oder budget.importance, oder deklarieren Sie weniger Merkmale`,
  "dp-ka.parts": () => "die Teile sind mehr als das Ganze; senken Sie einen davon",
  "dp-ka.two-classes": ({ classes }) =>
    `Boosting nimmt zwei Klassen, und es gibt ${classes}; deklarieren Sie zwei, oder schreiben Sie order: histogram`,
  "dp-ka.max-cells": ({ max, fewest }) =>
    `jedes Merkmal hat mehr Klassen als ${max}, mindestens ${fewest}: keines könnte ausgewählt werden; erhöhen Sie maxCells, oder deklarieren Sie weniger Klassen`,
  "dp-ka.threshold": ({ needed, units, rows }, { say }) =>
    `eine Gruppe muss ${needed} ${say(units)} zeigen, um sich vom Rauschen eines Tests abzuheben, und es gibt insgesamt höchstens ${rows}; erhöhen Sie epsilon oder budget.tests, oder deklarieren Sie weniger Merkmale`,
};
