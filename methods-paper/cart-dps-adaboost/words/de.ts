import type { Words } from "@consilium/words/said";
import type { CartDpsAdaboostSays } from "../says.js";

export const de: Words<CartDpsAdaboostSays> = {
  "cart-dps-adaboost.leaves": ({ label }) =>
    `in jedem Blatt eines Baums, für jede Ausprägung von ${label}: neu gezogene Zeilen, zurückgehaltene Zeilen und die Summe der Gewichte der Zeilen, über alle Standorte summiert`,
  "cart-dps-adaboost.nodes": ({ attributes, nodes, label, steps }, { number }) =>
    `Zeilen einer gewichteten Neuziehung nach dem Intervall von ${number(attributes)} Attributen in jedem von ${number(nodes)} Knoten eines Baums, für jede Ausprägung von ${label}${steps === 0 ? "" : `, und wie viele Zeilen welches Gewicht haben, in ${number(steps)} Stufen`}, über alle Standorte summiert`,
  "cart-dps-adaboost.learns": () =>
    "der Aggregator: die exakte Summe über alle Standorte; jeder Standort und Leser: die Bäume",
  "cart-dps-adaboost.noise": () =>
    "keines in der Summe; der Aggregator fügt Laplace-Rauschen hinzu und zieht nach dem Exponentialmechanismus",
};
