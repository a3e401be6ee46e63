import type { Words } from "@consilium/words/said";
import type { CountsSays } from "../says.js";

/** As the study has it, with a comma. */
const written = (value: number) => String(value).replace(".", ",");

export const de: Words<CountsSays> = {
  "counts.sent": ({ units, conditions, named, more, groups }, { say, number, names }) =>
    `wie viele ${say(units)} ${conditions === 1 ? "die Bedingung" : `jede von ${number(conditions)} Bedingungen`} erfüllen (${names(named, more)})${groups === 1 ? "" : `, nach ${number(groups)} Gruppen von Standorten`}`,
  "counts.few": ({ expected, needed, units, grouped, percent, factor }, { say, number }) =>
    `${say(expected)} müssen mehr als ${number(needed)} ${say(units)}${grouped === 0 ? "" : " einer durchschnittlichen Gruppe von Standorten"} eine Bedingung erfüllen (${percent === null ? "mehr, als es gibt" : `${number(percent)} % von ihnen`}), damit sie sich vom Rauschen abhebt; fragen Sie nach weniger Bedingungen oder Gruppen, oder erhöhen Sie epsilon etwa auf das ${number(factor)}-fache, um ein Zehntel zu sehen`,
  "counts.criterion-bound": () =>
    "schreiben Sie atLeast, below oder beides für eine Zahl, in für eine Kategorie, oder missing",
  "counts.criterion-form": () =>
    "eine Spalte mit `atLeast`, `below` oder beidem; mit `in` und einer Liste von Ausprägungen; oder mit `missing: true` oder `false`",
  "counts.name": () =>
    "Buchstaben, Ziffern, Leerzeichen, Punkte, Binde- und Unterstriche, zuerst ein Buchstabe oder eine Ziffer",
  "counts.condition-needed": () => "deklarieren Sie mindestens eine Bedingung",
  "counts.name-taken": ({ condition }) => `parameters.conditions[${condition}] hat diesen Namen schon`,
  "counts.missing-uncounted": ({ column }) =>
    `die Spalte „${column}“ zählt fehlende Werte nicht; schreiben Sie dort missing: own-level`,
  "counts.number": ({ column }) => `die Spalte „${column}“ ist eine Zahl: schreiben Sie atLeast oder below`,
  "counts.category": ({ column }) =>
    `die Spalte „${column}“ ist eine Kategorie: schreiben Sie in und eine Liste von Ausprägungen`,
  "counts.level-twice": () => "eine Ausprägung steht zweimal da; nennen Sie jede einmal",
  "counts.level-undeclared": ({ level, column }) =>
    `„${level}“ ist keine deklarierte Ausprägung von „${column}“`,
  "counts.no-number": ({ atLeast, below }) =>
    `keine Zahl ist mindestens ${written(atLeast)} und kleiner als ${written(below)}`,
  "counts.outside": ({ value, min, max, column }) =>
    `${written(value)} liegt nicht über min (${written(min)}) und höchstens bei max (${written(max)}) von „${column}“: jede Zahl oder keine würde die Bedingung erfüllen`,
  "counts.groups-needed": () => "deklarieren Sie zwei Gruppen oder mehr",
  "counts.groups-sites": () =>
    "Gruppen brauchen die Standorte der Studie; nennen Sie sie unter participation.sites",
  "counts.groups-name": () => "zwei Gruppen haben denselben Namen",
  "counts.site-twice": ({ site }) =>
    `der Standort „${site}“ steht zweimal da; nennen Sie jeden in einer Gruppe`,
  "counts.site-unknown": ({ site }) => `der Standort „${site}“ steht nicht unter participation.sites`,
  "counts.site-without": ({ site }) => `der Standort „${site}“ von participation.sites ist in keiner Gruppe`,
};
