import type { Words } from "@consilium/words/said";
import type { DpPccSays } from "../says.js";

export const de: Words<DpPccSays> = {
  "dp-pcc.sent": ({ level, nodes, features, label }, { number }) =>
    `Anzahlen der Zeilen ${level === 1 ? "an der Wurzel des Baums" : `nach den ${number(nodes)} Knoten der Ebene ${level}`}, nach den Klassen jedes der ${number(features)} Merkmale und nach ${label}`,
};
