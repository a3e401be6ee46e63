import { thresholdFor } from "@consilium/secure-sum/parameters";
import type { Study, StudyDocument } from "./study.js";

/** What a study's text cannot say: it is known once its roster is fixed. */
export interface OnRoster {
  /** s: sites on the roster; left out before there is one. */
  readonly rosterSites?: number;
}

const known = new WeakMap<Study, Map<number, Study>>();

/**
 * A study as it runs with a roster of so many sites. Before there is one, noise is sized for the fewest sites that there
 * may be, which is never too little; with it, for the sites that every sum has (`noiseShares`). One object for each pair:
 * plans and layouts are kept by study.
 */
export function studyOnRoster<S extends Study>(study: S, sites: number): S {
  const sizes = known.get(study) ?? new Map<number, Study>();
  known.set(study, sizes);
  const before = sizes.get(sites);
  if (before !== undefined) return before as S;
  const sized: S = { ...study, rosterSites: sites };
  sizes.set(sites, sized);
  return sized;
}

/** The same for a study with its text, which stays what everybody was shown. */
export function documentOnRoster(document: StudyDocument, sites: number): StudyDocument {
  return { ...document, study: studyOnRoster(document.study, sites) };
}

/**
 * Sites that every sum of a study has at least: T, for no sum over fewer is ever opened, and T is fixed with the roster, before
 * noise is drawn. Without a roster minimumSites, the least that it can be: T never falls as the roster grows.
 */
export function fewestInSum(study: Study): number {
  const { rosterSites: sites, participation } = study;
  const { minimumSites, tolerateColluding } = participation;
  return sites === undefined ? minimumSites : thresholdFor({ sites, minimumSites, tolerateColluding });
}

/** Shares of noise that are certainly in a sum and unknown to anyone who colludes: T - t. */
export function noiseShares(study: Study): number {
  return fewestInSum(study) - study.participation.tolerateColluding;
}
