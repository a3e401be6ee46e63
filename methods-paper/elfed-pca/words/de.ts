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
  "elfed-pca.ranges": ({ column }) =>
    `die Bereiche der Spalten sind sehr verschieden, und „${column}“ wird überwiegen; setzen Sie parameters.scale: declared, um jede Spalte auf [0, 1] abzubilden`,
  "elfed-pca.large-epsilon": () =>
    "die gedruckte Höhe des Rauschens der Autoren ist für epsilon bis 1 hergeleitet",
  "elfed-pca.dealer": () =>
    "ein Standort verteilt alle Masken: zusammen mit dem Aggregator könnte er die Summen jedes Standorts lesen, was immer tolerateColluding sagt",
  "elfed-pca.stay": () =>
    "alle Teilnehmer müssen bis zum Ende bleiben: von einem Standort verteilte Masken dulden keinen Ausfall",
  "elfed-pca.shared-noise": () =>
    "Jeder Standort kennt das gemeinsame Rauschen und kann es abziehen: gegenüber einem anderen Standort ist die Kovarianz exakt.",
  "elfed-pca.small-noise": () =>
    "Das Rauschen ist kleiner, als die Sensitivität der Summe der Kovarianzen je Standort verlangt.",
  "elfed-pca.centred": () =>
    "Zeilen werden nach Zentrierung mit dem eigenen Mittelwert der Daten normiert, daher ändert ein Datensatz jede Zeile.",
  "elfed-pca.exact-mean": () => "Mittelwert und Anzahl der Zeilen werden exakt veröffentlicht.",
  "elfed-pca.rows-exact": () =>
    "Die reduzierten Zeilen werden veröffentlicht, wie sie sind, ohne eigenes Rauschen.",
  "elfed-pca.noise-proof": () =>
    "Die Höhe des Rauschens ist für das Ersetzen eines Datensatzes nur für Epsilon unter 1 bewiesen, hier nur für add/remove.",
  "elfed-pca.rows-number": () => "die verteilte Zahl der Zeilen ist keine einzelne Zahl",
  "elfed-pca.rows-below": () =>
    "die Verteilung der Stufe moments ist ungültig (die Zahl der Zeilen aller Standorte liegt unter der dieses Standorts)",
  "elfed-pca.rows-range": () =>
    "die Verteilung der Stufe moments ist ungültig (die Zahl der Zeilen liegt außerhalb des Zulässigen)",
  "elfed-pca.mean-length": ({ entries, expected }) =>
    `die Verteilung der Stufe moments ist ungültig (der Mittelwert hat ${entries} Einträge statt ${expected})`,
  "elfed-pca.mean-outside": ({ column }) =>
    `die Verteilung der Stufe moments ist ungültig (der Mittelwert der Spalte „${column}“ liegt außerhalb ihrer Grenzen)`,
  "elfed-pca.two-rows": () => "scaling: site braucht zwei Zeilen an jedem Standort",
  "elfed-pca.rows-needed": ({ rows }) => `dpdis-pca braucht ${rows} Zeilen an jedem Standort`,
  "elfed-pca.loadings": ({ entries, expected }) => `die Ladungen haben ${entries} Einträge statt ${expected}`,
  "elfed-pca.not-orthonormal": ({ first, second }) =>
    `die Ladungen der Komponenten ${first} und ${second} sind nicht orthonormal`,
};
