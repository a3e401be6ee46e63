import type { AnySaid, Name } from "../said.js";

/** An estimate with its 95% interval; both ends are the value where nothing is uncertain. */
export type Estimated = { readonly value: number; readonly low: number; readonly high: number };

/** Increase of a number that an estimate is for, in its unit; null of a level. */
export type Step = { readonly step: number | null; readonly unit: Name | null };

/**
 * The clearest association of a regression.
 * @param of - terms it was chosen from. @param chosen - its p value times `of`, at most 1. @param whole - p value of the whole model
 */
export type Association = Estimated &
  Step & {
    readonly outcome: Name;
    readonly term: Name;
    readonly reference: Name | null;
    readonly of: number;
    readonly chosen: number;
    readonly whole: number;
    /** 1: sampling and noise do not explain it; else 0. */
    readonly clear: number;
  };

/** A number of rows, patients or events, or an amount. @param name - which ones, where not all. @param unit - `finding.rows`, `finding.patients`, or that of an exposure */
export type CountedParams = Estimated & { readonly name: Name | null; readonly unit: AnySaid | Name | null };

/** Findings of releases: the answer to the question that its study asked. */
export interface FindingSays {
  readonly "finding.odds-ratio": Association;
  readonly "finding.rate-ratio": Association;
  readonly "finding.hazard-ratio": Association;
  /** Difference in means. */
  readonly "finding.difference": Association;
  /** A term in a figure. */
  readonly "finding.term": Step & { readonly term: Name };
  /** On an axis, of intervals of several widths. */
  readonly "finding.share-per": { readonly unit: Name | null };
  /** No coefficient is precise enough to be stated. */
  readonly "finding.no-coefficient": { readonly outcome: Name; readonly terms: number };
  /** No coefficient is precise enough, and yet the test of the whole model rejects. */
  readonly "finding.jointly": { readonly outcome: Name; readonly terms: number; readonly whole: number };
  readonly "finding.survival-differs": {
    readonly column: Name;
    readonly pValue: number;
    readonly until: number;
    readonly unit: Name | null;
    readonly medians: readonly AnySaid[];
  };
  readonly "finding.survival-alike": {
    readonly column: Name;
    readonly pValue: number;
    readonly until: number;
    readonly unit: Name | null;
    readonly medians: readonly AnySaid[];
  };
  /** The two rules of the test disagree, or nothing could be tested. */
  readonly "finding.survival-imprecise": { readonly column: Name; readonly medians: readonly AnySaid[] };
  /** Of a group such as `arm = new`, or of all records. @param value - null, as the ends of its interval, where it is not reached */
  readonly "finding.median": {
    readonly group: Name | null;
    readonly value: number | null;
    readonly low: number | null;
    readonly high: number | null;
    readonly unit: Name | null;
  };
  /** Survival where the curve ends, above 50%. */
  readonly "finding.survival-at": Estimated & { readonly time: number; readonly unit: Name | null };
  readonly "finding.no-curve": Record<never, never>;
  /** @param units - `finding.rows` or `finding.patients`. @param more - conditions that are not named. @param none - how many may be none */
  readonly "finding.counts": {
    readonly units: AnySaid;
    readonly counts: readonly AnySaid[];
    readonly more: number;
    readonly none: number;
  };
  readonly "finding.count": Estimated & { readonly name: Name };
  readonly "finding.rows": Record<never, never>;
  readonly "finding.patients": Record<never, never>;
  /** @param largest - a difference between groups that is clear; null where none is. @param of - how many are; null without groups */
  readonly "finding.described": Estimated & {
    readonly units: AnySaid;
    readonly largest: AnySaid | null;
    readonly of: number | null;
  };
  readonly "finding.means": { readonly column: Name; readonly first: AnySaid; readonly second: AnySaid };
  readonly "finding.shares": {
    readonly column: Name;
    readonly level: Name;
    readonly first: AnySaid;
    readonly second: AnySaid;
  };
  readonly "finding.in-group": Estimated & { readonly group: Name };
  readonly "finding.share-in-group": Estimated & { readonly group: Name };
  readonly "finding.used": CountedParams;
  readonly "finding.excluded": CountedParams;
  /** Those of the fit, where others are held out. */
  readonly "finding.training": CountedParams;
  readonly "finding.held-out": CountedParams;
  readonly "finding.events": CountedParams;
  readonly "finding.exposure": CountedParams;
  /** Flow of a study's rows: sentences, and lines of its figure. @param unit - `finding.rows` or `finding.patients` */
  readonly "flow.used": Estimated & { readonly unit: AnySaid };
  readonly "flow.used-imprecise": { readonly unit: AnySaid };
  readonly "flow.read": Estimated & { readonly unit: AnySaid; readonly hospitals: number };
  readonly "flow.left-out": { readonly unit: AnySaid; readonly causes: readonly AnySaid[] };
  readonly "flow.where": Estimated;
  readonly "flow.label": Estimated;
  readonly "flow.level": Estimated;
  readonly "flow.type": Estimated;
  readonly "flow.missing": Estimated;
  readonly "flow.beyond": { readonly unit: AnySaid; readonly values: readonly AnySaid[] };
  readonly "flow.below": Estimated & { readonly column: Name; readonly bound: number };
  readonly "flow.above": Estimated & { readonly column: Name; readonly bound: number };
  readonly "flow.hospitals": { readonly invited: number; readonly taking: number };
  /** Why hospitals that were asked did not take part, where they let it be published. */
  readonly "flow.refused": { readonly reasons: readonly AnySaid[] };
  readonly "flow.refused-by": { readonly hospitals: number; readonly code: Name };
  /** Hospitals left the study once their rows were counted. */
  readonly "flow.gone": { readonly counted: number; readonly finished: number };
  readonly "flow.box-invited": { readonly hospitals: number };
  readonly "flow.box-others": { readonly hospitals: number };
  readonly "flow.box-read": Estimated & { readonly unit: AnySaid };
  readonly "flow.box-counted": { readonly hospitals: number };
  readonly "flow.box-left-out": { readonly unit: AnySaid };
  readonly "flow.box-used": Estimated & { readonly unit: AnySaid };
  readonly "finding.clear": Record<never, never>;
  readonly "finding.inconclusive": Record<never, never>;
  /** Nothing stands out of the noise. */
  readonly "finding.noise": Record<never, never>;
  /** Principal components, and the share of variance that they explain. */
  readonly "finding.components": { readonly count: number; readonly share: number };
  readonly "finding.no-components": { readonly rows: number; readonly needed: number };
  /** The column that is correlated most with the outcome: |φ|. */
  readonly "finding.correlated": Estimated & {
    readonly column: Name;
    readonly outcome: Name;
    readonly of: number;
    readonly clear: number;
  };
  readonly "finding.no-split": { readonly outcome: Name };
  /** @param again - least share of runs with fresh noise that select one of `columns`; null without noise */
  readonly "finding.ranked": {
    readonly outcome: Name;
    readonly columns: readonly Name[];
    readonly of: number;
    readonly again: number | null;
  };
  readonly "finding.not-ranked": { readonly outcome: Name };
  /** Columns that are released together in groups of at least k. @param first - the most associated one; null where none stands out */
  readonly "finding.together": {
    readonly columns: readonly Name[];
    readonly more: number;
    readonly outcome: Name;
    readonly first: Name | null;
    readonly k: number;
  };
  readonly "finding.none-together": { readonly k: number };
  readonly "finding.auc": Estimated & { readonly outcome: Name; readonly clear: number };
  readonly "finding.balanced-accuracy": Estimated & {
    readonly outcome: Name;
    readonly chance: number;
    readonly clear: number;
  };
  /** The interval of the evaluation covers most of its range. */
  readonly "finding.imprecise-model": { readonly outcome: Name };
  /** A model that nobody measured. @param first - what it rests on most; null where nothing stands out of the noise */
  readonly "finding.unmeasured-model": { readonly outcome: Name; readonly first: Name | null };
  /** @param strongest - the pair of columns that is least independent; null where no pair stands out of the noise */
  readonly "finding.synthetic": {
    readonly rows: number;
    readonly first: Name | null;
    readonly second: Name | null;
    readonly dependence: number;
  };
}
