import type { Words } from "@consilium/words/said";
import type { ElfedPcaSays } from "../says.js";

export const de: Words<ElfedPcaSays> = {
  "elfed-pca.means": ({ columns }, { number }) =>
    `die Summe jeder der ${number(columns)} Spalten und die Anzahl der Zeilen, über alle Standorte summiert`,
  "elfed-pca.covariance": ({ columns }) =>
    `die ${columns} × ${columns}-Kovarianz zentrierter Zeilen der Länge 1, über alle Standorte summiert`,
  "elfed-pca.subspace": ({ dimensions }) =>
    `der führende ${dimensions}-dimensionale Teil der eigenen Kovarianz des Standorts, über alle Standorte summiert`,
  "elfed-pca.rows": ({ numbers, label }, { number }) =>
    `jede Zeile der Tabelle, zentriert, auf Länge 1 skaliert und auf ${number(numbers)} ${numbers === 1 ? "Zahl" : "Zahlen"} reduziert${label === 0 ? "" : ", mit ihrer Zielgröße"}`,
  "elfed-pca.learns-means": () =>
    "der Aggregator und jeder Standort: der exakte Mittelwert und die Anzahl der Zeilen über alle Standorte",
  "elfed-pca.learns-covariance": ({ noise }) =>
    `der Aggregator: die Summe über alle Standorte${noise === 0 ? "" : " mit dem gemeinsamen Rauschen darin"}`,
  "elfed-pca.learns-subspaces": () => "der Aggregator: die Summe der Teilunterräume aller Standorte",
  "elfed-pca.noise-shared": () => "eine Gauß-Matrix aus einem Startwert, den alle Standorte teilen",
  "elfed-pca.noise-own": () => "eigenes Gauß-Rauschen jedes Standorts in voller Höhe",
  "elfed-pca.noise-rows": () => "keines: reduzierte Zeilen werden veröffentlicht, wie sie sind",
};
