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
};
