import type { Words } from "@consilium/words/said";
import type { DpPccSSays } from "../says.js";

export const de: Words<DpPccSSays> = {
  "dp-pcc-s.sent": ({ blocks, level, nodes, features, label }, { number }) =>
    `für jeden von ${number(blocks)} zufälligen Zeilenblöcken und jeden von ${number(nodes)} Knoten der Ebene ${level}, wie stark der beste Schnitt jedes der ${number(features)} Merkmale mit ${label} zusammenhängt, von 0 bis 1, und wo er liegt`,
};
