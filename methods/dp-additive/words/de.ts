import type { Words } from "@consilium/words/said";
import type { DpAdditiveSays } from "../says.js";

export const de: Words<DpAdditiveSays> = {
  "dp-additive.sent": ({ features }, { number }) =>
    `erste und zweite Ableitungen des logarithmischen Verlusts der Zeilen an jeder Klasse jedes der ${number(features)} Merkmale`,
  "dp-additive.few-rows": ({ expected, needed, units }, { say, number }) =>
    `${say(expected)} sagen Stümpfe wahrscheinlich ebenso gut oder besser vorher: damit sich eine Klasse einer Kurve von ihrem Rauschen abhebt, braucht es etwa ${number(needed)} ${say(units)} im Training; verwenden Sie method: dp-histboost mit depth: 1, deklarieren Sie weniger Merkmale oder Klassen, oder erhöhen Sie epsilon`,
  "dp-additive.better": ({ expected, features, depth }, { say, number }) =>
    `${say(expected)} sagt dp-additive wahrscheinlich besser vorher: seine Kurven aller ${number(features)} Merkmale heben sich vom Rauschen ab, und ein Pfad dieses Baums fragt höchstens ${number(depth)} davon; behalten Sie den Baum, wo seine Regeln gewollt sind, oder verwenden Sie analysis: boosted-trees mit method: dp-additive`,
  "dp-additive.long-stage": ({ numbers, max }) =>
    `eine Stufe von ${numbers} Zahlen ist größer als die zulässigen ${max}; deklarieren Sie weniger Klassen`,
  "dp-additive.ring": () =>
    "so großes Rauschen passt nicht in Zahlen von 64 Bit; erhöhen Sie epsilon, verlangen Sie weniger Epochen, oder senken Sie maxRowsPerSite oder patient.maxRows",
};
