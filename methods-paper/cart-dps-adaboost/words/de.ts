import type { Words } from "@consilium/words/said";
import type { CartDpsAdaboostSays } from "../says.js";

export const de: Words<CartDpsAdaboostSays> = {
  "cart-dps-adaboost.leaves": ({ label }) =>
    `in jedem Blatt eines Baums, für jede Ausprägung von ${label}: neu gezogene Zeilen, zurückgehaltene Zeilen und die Summe der Gewichte der Zeilen, über alle Standorte summiert`,
  "cart-dps-adaboost.nodes": ({ attributes, nodes, label, steps }, { number }) =>
    `Zeilen einer gewichteten Neuziehung nach dem Intervall von ${number(attributes)} Attributen ${nodes === 1 ? "an der Wurzel" : `in jedem der ${number(nodes)} Knoten`} eines Baums, für jede Ausprägung von ${label}${steps === 0 ? "" : `, und wie viele Zeilen welches Gewicht haben, in ${number(steps)} Stufen`}, über alle Standorte summiert`,
  "cart-dps-adaboost.learns": () =>
    "der Aggregator: die exakte Summe über alle Standorte; jeder Standort und Leser: die Bäume",
  "cart-dps-adaboost.noise": () =>
    "keines in der Summe; der Aggregator fügt Laplace-Rauschen hinzu und zieht nach dem Exponentialmechanismus",
  "cart-dps-adaboost.weighted": () =>
    "mit budget: weighted nimmt jeder Baum epsilon/trees - ln α, höchstens den Rest von epsilon: der Lauf endet, wo das nicht positiv ist, in der Regel vor dem letzten Baum",
  "cart-dps-adaboost.weights-together": () =>
    "Die Gewichte aller Zeilen werden gemeinsam normiert, daher ändert ein Datensatz das Gewicht jeder Zeile und jede Anzahl.",
  "cart-dps-adaboost.resampled": () =>
    "Die Neuziehung kann einen Datensatz mehrfach enthalten, und keine Verstärkung durch Stichproben ist bewiesen.",
  "cart-dps-adaboost.exact-counts": () =>
    "Reinheit, Attributauswahl, Schnitte von Kategorien, Beschneidung, τ und α werden aus exakten Anzahlen berechnet.",
  "cart-dps-adaboost.largest-weight": () =>
    "Das größte Gewicht, das das Rauschen skaliert, stammt selbst aus den Datensätzen.",
  "cart-dps-adaboost.budget": () =>
    "Mit `budget: weighted` hängt das Budget eines Baums von α ab, das aus den Datensätzen berechnet wird.",
  "cart-dps-adaboost.noise-afterwards": () =>
    "Die Summen erreichen den Aggregator exakt: er fügt das Rauschen danach hinzu, anstelle des Dateneigners der Autoren.",
  "cart-dps-adaboost.node-features": ({ asked, features }) =>
    `${asked} von ${features} Merkmalen; verlangen Sie höchstens ${features}`,
  "cart-dps-adaboost.long-stage": ({ numbers, max }) =>
    `eine Stufe von ${numbers} Zahlen ist größer als die zulässigen ${max}; verlangen Sie weniger depth, bins oder Attribute`,
  "cart-dps-adaboost.many-rows": ({ rows }) =>
    `Gewichte von ${rows} Zeilen passen nicht in Summen von 64 Bit; nennen Sie die Standorte, oder senken Sie maxRowsPerSite`,
};
