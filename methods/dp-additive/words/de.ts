import type { Words } from "@consilium/words/said";
import type { DpAdditiveSays } from "../says.js";

export const de: Words<DpAdditiveSays> = {
  "dp-additive.sent": ({ features }, { number }) =>
    `erste und zweite Ableitungen des logarithmischen Verlusts der Zeilen an jeder Klasse jedes der ${number(features)} Merkmale`,
};
