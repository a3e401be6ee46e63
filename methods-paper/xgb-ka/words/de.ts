import type { Words } from "@consilium/words/said";
import type { XgbKaSays } from "../says.js";

export const de: Words<XgbKaSays> = {
  "xgb-ka.tags": () =>
    "wie viele Zeilen dieselben Werte einiger Merkmale haben, jede Kombination unter einem Kennzeichen, das nur die Standorte bilden können",
  "xgb-ka.rows": ({ label }) =>
    `jede Zeile der Tabelle: von jedem ausgewählten Merkmal sein Intervall oder seine Ausprägung, von allen anderen nichts, mit ${label}`,
  "xgb-ka.learns-sum": () =>
    "der Aggregator, und jeder Standort und Leser durch das daraus Berechnete: die exakte Summe über alle Standorte",
  "xgb-ka.learns-tags": () =>
    "der Aggregator: wie viele verschiedene Kombinationen der Standort hat, wie oft jede vorkommt und welche Standorte dieselben haben; mit Hilfe eines beliebigen Standorts die Kombinationen selbst",
  "xgb-ka.noise-tags": () => "keines: die Anzahlen sind exakt",
  "xgb-ka.noise-rows": ({ k }, { number }) =>
    `keines: Kombinationen mit weniger als ${number(k)} Zeilen werden nicht abgefragt`,
};
