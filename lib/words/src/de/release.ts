import type { Words } from "../said.js";
import type { ReleaseSays } from "../says/release.js";

export const release: Words<ReleaseSays> = {
  "release.unlike-text": ({ file, at }) => `${file}: ${at} stimmt nicht mit dem Text der Studie überein`,
  "release.unlike-rest": ({ file, at }) => `${file}: ${at} folgt nicht aus dem Übrigen`,
  "release.unlike-attempt": ({ file, at, stage }) =>
    `${file}: ${at} ist ein anderes Ereignis als das des letzten Versuchs der Stufe ${stage}`,
  "release.more-shares": ({ file, stage, shares, sites }, { count }) =>
    `${file}: Stufe ${stage} zählt ${count(shares, "Anteil", "Anteile")} Rauschen unter ${count(sites, "Standort", "Standorten")}, mehr als Teilnehmer und Schwelle erlauben`,
  "release.below-events": ({ file, at, stated, least }) =>
    `${file}: ${at} ist ${stated}, sein Ereignis kostet ${least}`,
  "release.too-many-entries": ({ file }) =>
    `${file}: privacy.epsilon beruht auf mehr Einträgen, als nachgerechnet werden`,
  "release.planned-same": () => "diese Version plant die Studie so, wie es im Zertifikat steht",
  "release.planned-otherwise": ({ at, stated, planned }) =>
    `diese Version plant die Studie anders: ${at} ist ${stated} im Zertifikat und ${planned} hier. Die Veröffentlichung ist geprüft; fragen Sie die Föderation, mit welcher Version sie entstand`,
  "release.not-planned": () =>
    "diese Version hat keinen Plan für die Studie; die Veröffentlichung ist ohne ihn geprüft",
  "release.no-sums": () => "die Veröffentlichung enthält die Summen ihrer Studie nicht",
  "release.ask-for-sums": () => "eine Studie macht ihre Summen mit `release: { sums: true }` öffentlich",
  "release.file-changed": ({ file }) => `${file}: seit der Prüfung geändert`,
  "release.no-sum": ({ stage }) =>
    `die Methode fragt nach einer Summe der Stufe ${stage}, die die Veröffentlichung dort nicht hat`,
  "release.sum-unused": ({ stage }) => `die Methode fragt nicht nach der Summe der Stufe ${stage}`,
  "release.sum-refused": ({ stage, reason }) =>
    `die Methode nimmt die Summe der Stufe ${stage} nicht an: ${reason}`,
  "release.no-draw": ({ draw }) => `die Methode zieht ${draw}, was in draws.json fehlt`,
  "release.draw-unused": ({ draw }) => `die Methode zieht ${draw} nicht, was in draws.json steht`,
  "release.broadcast-otherwise": ({ stages }, { list }) =>
    `was mitgeteilt wurde, ist nicht, was die Krankenhäuser unterschrieben haben: Die Ziehungen oder die Summe ${stages.length === 1 ? "der Stufe" : "einer der Stufen"} ${list(stages)} sind nicht die, mit denen die Studie lief`,
  "release.result-otherwise": ({ at, stated, computed, stages }, { list }) =>
    `result.json: ${at} ist dort ${stated} und aus den Summen ${computed}; von ${stages.length === 1 ? "der Summe der Stufe" : "den Summen der Stufen"} ${list(stages)} hängt keine Mitteilung ab`,
  "release.row-otherwise": ({ file, row, column, stages }, { list, number }) =>
    `${file}: ${column} in Zeile ${number(row)} ist eine andere Zahl als aus den Summen; von ${stages.length === 1 ? "der Summe der Stufe" : "den Summen der Stufen"} ${list(stages)} hängt keine Mitteilung ab`,
  "release.replayed": ({ sums, software }, { count }) =>
    `das Ergebnis folgt aus ${count(sums, "Summe", "Summen")} der Veröffentlichung Byte für Byte, mit Version ${software}, die es nennt, und ebenso, was den Krankenhäusern mitgeteilt wurde`,
  "release.replayed-numbers": ({ sums, software }, { count }) =>
    `jede Zahl des Ergebnisses folgt aus ${count(sums, "Summe", "Summen")} der Veröffentlichung auf 1e-12, und was den Krankenhäusern mitgeteilt wurde, Byte für Byte; das Ergebnis nennt Version ${software}, die dies nicht ist`,
  "release.sums-whose-word": ({ stages }, { list }) =>
    `dass eine Summe die der Krankenhäuser ist, ist nur so weit unterschrieben, wie eine spätere Mitteilung von ihr abhängt; von ${stages.length === 1 ? "der der Stufe" : "denen der Stufen"} ${list(stages)} hängt keine ab, dort ist es das Wort des Aggregators`,
  "release.no-folder": ({ folder }) => `unter ${folder} liegt kein Ordner einer Veröffentlichung`,
  "release.check-path": () => "prüfen Sie den Pfad; `consilium release get` legt einen solchen Ordner an",
  "release.foreign-file": ({ file }) => `${file}: keine gewöhnliche Datei einer Veröffentlichung`,
  "release.file-missing": ({ file }) => `${file}: die Datei fehlt`,
  "release.file-too-long": ({ file, max }, { number }) =>
    `${file}: größer als die erlaubten ${number(max)} Bytes`,
};
