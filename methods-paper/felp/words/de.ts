import type { Words } from "@consilium/words/said";
import type { FelpSays } from "../says.js";

export const de: Words<FelpSays> = {
  "felp.sent": ({ features, subsamples }, { number }) =>
    `die Anzahl der Zeilen des Standorts und seine Gewichte der ${number(features)} Merkmale mal diese Anzahl${subsamples === 0 ? "" : `, im Mittel über ${number(subsamples)} Teilstichproben`}, über alle Standorte summiert`,
  "felp.learns": ({ noisy }) =>
    `der Aggregator, und jeder Leser durch das daraus Berechnete: die exakte Anzahl der Zeilen über alle Standorte und die ${noisy === 0 ? "exakten" : "verrauschten"} mittleren Gewichte${noisy === 0 ? "" : " der Standorte"}`,
  "felp.noise-own": () =>
    "eigenes Rauschen jedes Standorts, dessen Dichte mit seiner Länge fällt, für seine eigene Anzahl von Zeilen",
  "felp.noise-aggregator": () =>
    "die Summe ist exakt; der Aggregator fügt vor der Veröffentlichung der Gewichte Rauschen hinzu, dessen Dichte mit seiner Länge fällt",
};
