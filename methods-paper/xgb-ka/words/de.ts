import type { Words } from "@consilium/words/said";
import type { XgbKaSays } from "../says.js";

export const de: Words<XgbKaSays> = {
  "xgb-ka.tags": () =>
    "wie viele Zeilen dieselben Werte einiger Merkmale haben, jede Kombination unter einem Kennzeichen, das nur die Standorte bilden können",
  "xgb-ka.rows": ({ label }) =>
    `jede Zeile der Tabelle: von jedem ausgewählten Merkmal sein Intervall oder seine Ausprägung, von allen anderen nichts, mit ${label}`,
  "xgb-ka.learns-sum": () =>
    "der Aggregator, und jeder Standort und Leser durch das daraus Berechnete: die exakte Summe über alle Standorte",
  "xgb-ka.learns-tags": () =>
    "der Aggregator: wie viele verschiedene Kombinationen der Standort hat, wie oft jede vorkommt und welche Standorte dieselben haben; mit Hilfe eines beliebigen Standorts die Kombinationen selbst",
  "xgb-ka.noise-tags": () => "keines: die Anzahlen sind exakt",
  "xgb-ka.noise-rows": ({ k }, { number }) =>
    `keines: Kombinationen mit weniger als ${number(k)} Zeilen werden nicht abgefragt`,
  "xgb-ka.rows-public": () =>
    "die veröffentlichten Zeilen sind Datensätze, als Intervalle und Ausprägungen: das ist für Daten, die öffentlich sein dürfen",
  "xgb-ka.k-anonymity": () =>
    "K-Anonymität ist keine Differential Privacy: sie begrenzt nichts gegenüber jemandem, der mehr weiß oder eine zweite Veröffentlichung liest.",
  "xgb-ka.one-class": () => "Eine Gruppe von K Zeilen einer einzigen Klasse zeigt die Klasse aller darin.",
  "xgb-ka.single-records": () =>
    "Welche Merkmale veröffentlicht werden, hängt von einzelnen Datensätzen ab: einer davon kann einen Test entscheiden.",
  "xgb-ka.rows-read": () =>
    "Die Zeilen werden bis auf ihre Intervalle veröffentlicht, wie sie sind, und der Aggregator liest die jedes Standorts, bevor sie gemischt werden.",
  "xgb-ka.tags-read": () =>
    "Die Summen haben kein Rauschen; durch Kennzeichen erfährt der Aggregator, wie viele Zeilen eines Standorts gleich sind, und ein beliebiger Standort kann ihm sagen, welche.",
  "xgb-ka.tests-trusted": () =>
    "Standorte prüfen, dass die veröffentlichte Menge getestet wurde; dass ein Test bestanden wurde, beruht auf dem Wort des Aggregators.",
  "xgb-ka.variant": () =>
    "xgb-ka und greedy-hamdist haben `variant: paper`, K-Anonymität beweist keinen Schutz; schreiben Sie das, oder verwenden Sie dp-ka",
  "xgb-ka.without-noise": ({ method }) =>
    `${method} fügt nirgends Rauschen hinzu, und K-Anonymität begrenzt kein epsilon; schreiben Sie \`none\`, oder verwenden Sie dp-ka`,
  "xgb-ka.fewer-rows": ({ k }) =>
    `die Zeilen der Standorte sind nicht die geprüften: von manchen Wertekombinationen haben sie weniger als ${k} Zeilen, obwohl die Prüfung so viele fand`,
  "xgb-ka.no-value": () =>
    "die Zeilen der Standorte sind nicht die geprüften: eine enthält einen Wert, den ihr Merkmal nicht hat",
};
