/**
 * Sentences as facts: a code and its parameters. Types alone, so that who raises one loads no words; `english.ts` and
 * `german.ts` say it at the edge, and `core/src/said.ts` writes it down.
 */

/** A name from a study's text or a configuration, at most 128 characters: `nameOf` of `core/src/said.ts` makes it. Never a cell of a table. */
export type Name = string & { readonly __brand: "Name" };

/** Ids that only a parser mints: of a site, a study, a stage. */
export type Id = string & { readonly __brand: "SiteId" | "StudyId" | "StageId" };

/** Free text is no parameter, so that a record's value cannot be one. */
export type Param = number | Name | Id | AnySaid | null | readonly Param[];

export interface AnySaid {
  readonly code: string;
  readonly params: Readonly<Record<string, Param>>;
}

/** Parameters of a sentence that has none. */
export type None = Readonly<Record<never, never>>;

/** A table's codes, each with its parameters: `interface AgentSays { "policy.epsilon": { asked: number } }`. */
export type Table<T> = { readonly [K in keyof T]: Readonly<Record<string, Param>> };

/** One sentence of a table. */
export type Said<T, K extends keyof T = keyof T> = {
  [C in K]: { readonly code: C; readonly params: T[C] };
}[K];

/** A language's functions for a table: a missing code, or a parameter that the table does not have, does not compile. */
export type Words<T> = { readonly [K in keyof T]: (params: T[K], say: Say) => string };

/** A number and its 95% interval; null is beyond all numbers that were observed. */
export interface Interval {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** How a language writes what stands in a sentence. */
export interface Say {
  /** With the language's decimal sign, at most four significant digits where it is no whole number. */
  number(value: number): string;
  /** A number with its noun. @param many - left out: `one` with an s */
  count(value: number, one: string, many?: string): string;
  /** `a`, `a and b`, `a, b and c`; numbers and sentences as the language writes them. */
  list(items: readonly Param[]): string;
  /** `a, b` or `a, b and 3 more`. @param more - that are not among them */
  names(items: readonly Param[], more: number): string;
  /** A duration as people say it, in whole days, hours, minutes or seconds. @param milliseconds - at least 0 */
  duration(milliseconds: number): string;
  /** A sentence within another. */
  say(said: AnySaid): string;
  /** `1.25 years (95% CI 1.15 to not reached)`: rounded to what the interval bears; the number alone where it has no width. */
  estimate(of: Interval, unit?: string | null): string;
  /** The same of an interval that covers privacy noise alone. */
  noisy(of: Interval): string;
  /** An estimate of a share from 0 to 1, in percent. */
  share(of: Interval): string;
  /** `p = 0.03`, `p < 0.0001`. */
  pValue(p: number): string;
}
