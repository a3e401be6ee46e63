import type { Words } from "@consilium/words/said";
import type { PearsonTreeSays } from "../says.js";

export const de: Words<PearsonTreeSays> = {
  "pearson-tree.node": ({ label, attributes }, { number }) =>
    `für einen Knoten des Baums Anzahlen der Zeilen nach ${label}, und für jedes der ${number(attributes)} noch nicht verwendeten Attribute die größte Korrelation eines Schnitts in jeder Teilmenge der Zeilen und der Schnitt selbst, der ein Wert einer Zeile ist`,
  "pearson-tree.level": ({ level, label, attributes }, { number }) =>
    `nach Knoten der Ebene ${level} Anzahlen der Zeilen nach ${label}, und für jedes von ${number(attributes)} Attributen die größte Korrelation eines Schnitts in jeder Teilmenge der Zeilen und der Schnitt selbst, der ein Wert einer Zeile ist`,
  "pearson-tree.learns-splits": () =>
    "der Aggregator: die exakten Summen über alle Standorte; jeder Leser: die mittleren Schnitte, die den Baum teilen",
  "pearson-tree.learns-leaves": ({ noise }) =>
    `der Aggregator${noise === 0 ? " und jeder Leser: die Summe über alle Standorte" : ": die exakte Summe über alle Standorte; jeder Leser: die Summe mit dem Rauschen, das der Aggregator hinzufügt"}`,
  "pearson-tree.noise": () =>
    "keines in der exakten Summe; der Aggregator fügt vor der Veröffentlichung Laplace-Rauschen hinzu",
};
