import { studyOnRoster } from "@consilium/core/study/onRoster";
import type { Study } from "@consilium/core/study/study";

/** What `minimumSites` is where not all sites must take part, and how many sites the noise is sized on. */
export interface FewerSites {
  readonly minimumSites: number;
  readonly rosterSites: number;
}

let asked: FewerSites | null = null;

/** From now on the bench's studies ask for fewer sites than they have, and run at the ε that is shown. */
export function askFewerSites(fewer: FewerSites): void {
  asked = fewer;
}

export const asksFewerSites = () => asked !== null;

/** Of a study with so many sites. */
export const minimumSitesOf = (sites: number) => asked?.minimumSites ?? sites;

/** The study as its noise is sized. */
export function sized<S extends Study>(study: S): S {
  return asked === null ? study : studyOnRoster(study, asked.rosterSites);
}
