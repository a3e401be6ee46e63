import type { Words } from "../said.js";
import type { StudySays } from "../says/studies.js";

export const studies: Words<StudySays> = {
  "study.correct-and-clone": () =>
    "berichtigen Sie, was die Standorte ablehnen, in einer Kopie der Studie (`consilium study clone`), und starten Sie diese",
  "study.ask-undecided": () =>
    "bitten Sie die Standorte, die nicht geantwortet haben, zuzustimmen oder online zu gehen, dann `consilium study resume`; ein längeres participation.joinDeadline gibt ihnen mehr Zeit",
};
