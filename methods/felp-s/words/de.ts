import type { Words } from "@consilium/words/said";
import type { FelpSSays } from "../says.js";

export const de: Words<FelpSSays> = {
  "felp-s.sent": ({ features, blocks }, { number }) =>
    `Gewichte der ${number(features)} Merkmale, in jedem von ${number(blocks)} ausgelosten Zeilenblöcken gelernt, bei 0 und auf Länge 1 begrenzt`,
};
