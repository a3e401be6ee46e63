import type { Words } from "@consilium/words/said";
import type { DpHistBoostSays } from "../says.js";

export const de: Words<DpHistBoostSays> = {
  "dp-histboost.splits": ({ features, level, nodes, label }, { number }) =>
    `die Gewichte der Zeilen (0 bis 1, aus den vorigen Bäumen) nach dem Wert von ${number(features)} ${features === 1 ? "Merkmal" : "Merkmalen"} ${level === 1 ? "an der Wurzel" : `in jedem der ${number(nodes)} Knoten der Ebene ${level}`} eines Baums, getrennt für jeden Wert von ${label}`,
  "dp-histboost.leaves": ({ leaves, label }, { number }) =>
    `die Gewichte der Zeilen (0 bis 1, aus den vorigen Bäumen) in jedem der ${number(leaves)} Blätter eines Baums, getrennt für jeden Wert von ${label}`,
  "dp-histboost.few-rows": ({ expected, level, depth, units }, { say }) =>
    `${say(expected)} teilen sich Knoten unter Ebene ${level} von ${depth} kaum je, weil ihre ${say(units)} im Rauschen untergehen: fragen Sie nach weniger Tiefe oder Bäumen, verringern Sie guard, erhöhen Sie epsilon, oder laden Sie mehr Standorte ein`,
  "dp-histboost.node-features": ({ asked, features }) =>
    `${asked} Merkmale je Knoten bei ${features} deklarierten; verlangen Sie höchstens ${features}`,
  "dp-histboost.long-stage": ({ numbers, max }) =>
    `eine Stufe von ${numbers} Zahlen ist größer als die zulässigen ${max}; verlangen Sie weniger depth, bins oder featuresPerNode`,
  "dp-histboost.ring": () =>
    "so großes Rauschen passt nicht in Zahlen von 64 Bit; erhöhen Sie epsilon, verlangen Sie weniger Bäume, oder senken Sie maxRowsPerSite oder patient.maxRows",
  "dp-histboost.never-splits": ({ trees, depth, needed, units, rows }, { say }) =>
    `bei ${trees} Bäumen der Tiefe ${depth} und diesem epsilon teilt sich ein Knoten erst ab ${needed} ${say(units)}, und die Studie hat höchstens ${rows}: verlangen Sie weniger Bäume oder geringere Tiefe, senken Sie guard, erhöhen Sie epsilon, oder laden Sie mehr Standorte ein`,
};
