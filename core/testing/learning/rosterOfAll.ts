import { studyOnRoster } from "../../src/study/onRoster.js";
import type { Study } from "../../src/study/study.js";

/** The study as it runs over these sites; one that is on a roster already stays there. */
export function onRosterOfAll<S extends Study>(study: S, tables: readonly unknown[]): S {
  return study.rosterSites === undefined ? studyOnRoster(study, tables.length) : study;
}
