import type { Words } from "@consilium/words/said";
import type { DpHistBoostSays } from "../says.js";

export const de: Words<DpHistBoostSays> = {
  "dp-histboost.splits": ({ features, level, nodes, label }, { number }) =>
    `die Gewichte der Zeilen (0 bis 1, aus den vorigen Bäumen) nach dem Wert von ${number(features)} ${features === 1 ? "Merkmal" : "Merkmalen"} ${level === 1 ? "an der Wurzel" : `in jedem der ${number(nodes)} Knoten der Ebene ${level}`} eines Baums, getrennt für jeden Wert von ${label}`,
  "dp-histboost.leaves": ({ leaves, label }, { number }) =>
    `die Gewichte der Zeilen (0 bis 1, aus den vorigen Bäumen) in jedem der ${number(leaves)} Blätter eines Baums, getrennt für jeden Wert von ${label}`,
};
