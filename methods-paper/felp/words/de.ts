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
  "felp.slow": ({ rows }, { number }) =>
    `jede Zeile wird mit jeder anderen verglichen: ${number(rows)} Zeilen an einem Standort dauern Stunden; felp-a liest eine Tabelle zweimal`,
  "felp.few-rows": ({ selected, of, needed }, { number }) =>
    `${number(selected)} von ${number(of)} Merkmalen heben sich nur mit weit mehr als insgesamt ${number(needed)} Zeilen vom veröffentlichten Rauschen ab, was immer lambda ist: erhöhen Sie epsilon, oder verwenden Sie felp-a`,
  "felp.neighbours": () =>
    "Ändert sich ein Datensatz, ändern sich auch die Abstände aller Datensätze, deren nächster Nachbar er war: die angegebene Sensitivität von 2/(nλ) gilt nicht, um einen mit n wachsenden Faktor.",
  "felp.lengths": () =>
    "Differenzen von Datensätzen werden mit Länge höchstens 1 angenommen, was nichts erzwingt.",
  "felp.left-out": () =>
    "Dass ein Datensatz in einer Teilstichprobe fehlt, wird im Mittel gerechnet, müsste aber für jede Ziehung gelten.",
  "felp.exact-weights": () =>
    "Der Aggregator sieht die Summe der exakten Gewichte der Standorte und die exakte Anzahl der Zeilen.",
  "felp.without-noise": ({ method }) =>
    `${method} fügt kein Rauschen hinzu: schreiben Sie \`privacy: none\`, oder verwenden Sie felp-a, dessen Schutz bewiesen ist`,
};
