import type { Words } from "@consilium/words/said";
import type { DpPccSSays } from "../says.js";

export const de: Words<DpPccSSays> = {
  "dp-pcc-s.sent": ({ blocks, level, nodes, features, label }, { number }) =>
    `für jeden von ${number(blocks)} zufälligen Zeilenblöcken und ${nodes === 1 ? "die Wurzel des Baums" : `jeden der ${number(nodes)} Knoten der Ebene ${level}`}, wie stark der beste Schnitt jedes der ${number(features)} Merkmale mit ${label} zusammenhängt, von 0 bis 1, und wo er liegt`,
  "dp-pcc-s.few-rows": ({ expected, rows, level }, { say, number }) =>
    `${say(expected)} hat ein Standort weniger als ${number(rows)} eines Blocks in einem Knoten der Ebene ${level}, dessen bester Schnitt Zufall ist; verringern Sie blocks oder depth`,
  "dp-pcc-s.few-blocks": ({ blocks, hidden, needed, shown }, { number }) =>
    `mit insgesamt ${number(blocks)} Blöcken verdeckt das Rauschen Unterschiede der Korrelation unter ${number(hidden)}; ${number(needed)} Blöcke zeigten ${number(shown)}: geben Sie mehr Blöcke oder Standorte an, erhöhen Sie epsilon, deklarieren Sie weniger Merkmale, oder verwenden Sie dp-pcc`,
  "dp-pcc-s.many-counts": ({ blocks, nodes, counts, max, maxNodes }) =>
    `${blocks} Blöcke an ${nodes} Knoten sind ${counts} Zählungen im Speicher eines Standorts; höchstens ${max}, und ${maxNodes} Blöcke von Knoten: senken Sie blocks, depth oder bins`,
  "dp-pcc-s.noise": ({ needed, max }) =>
    `das Rauschen ist so groß wie die Antworten von ${needed} Blöcken, und es gibt insgesamt höchstens ${max}; geben Sie mehr Blöcke an, erhöhen Sie epsilon, deklarieren Sie weniger Merkmale, oder senken Sie depth oder guard`,
};
