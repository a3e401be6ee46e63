import type { Words } from "../said.js";
import type { ResultSays } from "../says/results.js";

const kept = "Die Summen bleiben erhalten, und kein Budget wird erneut belastet";
const before = (again: number, software: string) =>
  again === 0 ? "" : `. Dieselbe Version (${software}) kam schon zuvor dazu`;

export const results: Words<ResultSays> = {
  "result.incomplete": ({ missing, again, software }, { list }) =>
    `ein Teil des Ergebnisses ließ sich nicht berechnen: ${list(missing)}. Der Rest steht. ${kept}${before(again, software)}`,
  "result.failed": ({ again, software }) =>
    `das Ergebnis ließ sich nicht berechnen. ${kept}${before(again, software)}`,
  "result.accept-or-resume": () =>
    "melden Sie es mit dem Log des Aggregators; installieren Sie eine Version, die es behebt, und führen Sie `consilium study resume` aus, oder veröffentlichen Sie den Rest mit `consilium study accept`",
  "result.resume": () =>
    "melden Sie es mit dem Log des Aggregators; installieren Sie eine Version, die es behebt, und führen Sie `consilium study resume` aus",
  "result.nothing-to-accept": () => "kein Teil eines Ergebnisses wartet darauf, angenommen zu werden",
  "result.missing": ({ missing }, { list }) =>
    `Dieser Veröffentlichung fehlt ein Teil dessen, wonach die Studie fragte: ${list(missing)}. Die Föderation hat sie ohne ihn angenommen. Alles Übrige ist vollständig.`,
  "result.lacks": ({ part, reason }, { say }) => `${say(part)} (Grund: ${say(reason)})`,
  "result.not-as-signed": ({ file }) =>
    `${file} beim Veröffentlichungsdienst ist nicht das, was die Krankenhäuser unterschrieben haben; dafür wurde nichts unterschrieben`,
  "result.unwritten": ({ missing }, { list }) => `Dateien ließen sich nicht schreiben: ${list(missing)}`,
  "result.part.test": () => "der statistische Test",
  "result.part.evaluation": () => "die Auswertung an zurückgehaltenen Datensätzen",
  "result.part.predictor": () => "das Modell in Formen, die andere Programme ausführen",
  "result.part.curves": () => "die Tabelle der Kurven",
  "result.part.tables": () => "die Tabellen",
  "result.part.figures": () => "die Abbildungen",
  "result.part.card": () => "die Modellkarte",
  "result.reason.fault": () => "die Berechnung scheiterte",
  "result.reason.unfit": () => "eine Veröffentlichung kann nicht aufnehmen, was berechnet wurde",
  "result.reason.unwritten": () => "die Dateien ließen sich nicht schreiben",
};
