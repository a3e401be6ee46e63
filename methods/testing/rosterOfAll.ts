import { studyOnRoster } from "@consilium/core/study/onRoster";
import type { Study } from "@consilium/core/study/study";

/** The study as it runs over these sites; one that is on a roster already stays there. */
export function onRosterOfAll<S extends Study>(study: S, tables: readonly unknown[]): S {
  return study.rosterSites === undefined ? studyOnRoster(study, tables.length) : study;
}
