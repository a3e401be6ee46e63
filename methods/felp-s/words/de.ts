import type { Words } from "@consilium/words/said";
import type { FelpSSays } from "../says.js";

export const de: Words<FelpSSays> = {
  "felp-s.sent": ({ features, blocks }, { number }) =>
    `Gewichte der ${number(features)} Merkmale, in jedem von ${number(blocks)} ausgelosten Zeilenblöcken gelernt, bei 0 und auf Länge 1 begrenzt`,
  "felp-s.few-blocks": ({ selected, of, needed, blocks, expected }, { say, number }) =>
    `${number(selected)} von ${number(of)} Merkmalen heben sich nur mit weit mehr als insgesamt ${number(needed)} Zeilenblöcken vom Rauschen ab; hier sind es ${number(blocks)} ${say(expected)}: erhöhen Sie epsilon oder parameters.blocks, laden Sie mehr Standorte ein, oder verwenden Sie felp-a`,
  "felp-s.many-blocks": ({ blocks, rows }) =>
    `${blocks} Blöcke für höchstens ${rows} Zeilen; etwa 20 Zeilen je Block sind eine gute Größe`,
};
