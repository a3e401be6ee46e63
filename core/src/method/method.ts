import type { AnySaid } from "@consilium/words/said";
import type { z } from "zod";
import type { Forecast, ForecastInput } from "../study/expectedPrecision.js";
import type { Plan } from "../study/plan.js";
import type { Study, Variant } from "../study/study.js";
import type { YoungerKey } from "../study/youngerKeys.js";
import type { AggregatorSide } from "./aggregatorSide.js";
import type { SiteSide } from "./siteSide.js";

/** Under this key a study carries its method: anyone who has the study can plan it. Texts and hashes know nothing of it. */
export const methodKey: unique symbol = Symbol("method");

/** The keys that a method adds to a study. */
export interface MethodSection {
  readonly analysis: z.ZodLiteral<string>;
  readonly method: z.ZodLiteral<string> | z.ZodEnum<Readonly<Record<string, string>>>;
  readonly variant: z.ZodLiteral<Variant>;
  readonly parameters: z.ZodType;
  readonly [key: string]: z.ZodType;
}

/** A fault that only the whole study shows: where it is, and what is wrong. */
export type MethodIssue = [path: PropertyKey[], fault: AnySaid];

type Keys = Readonly<Record<string, unknown>>;

/**
 * A method as everybody sees it: one object in one folder, listed by one line of a registry. What a site and the aggregator run
 * is loaded when a study asks for it, so that neither process holds the other's code; a forecast runs both, over rows that are nobody's.
 */
export interface Method<S extends Study = Study> {
  /** One for each form; forms share everything else. */
  readonly sections: readonly [MethodSection, ...MethodSection[]];
  /** Whether it can weigh a patient's rows 1 over their number; left out: it cannot. */
  readonly weighsPatients?: true;
  /** Whether it counts missing numbers by themselves, and so takes NaN for a number; left out: it does not. */
  readonly countsMissing?: true;
  /** Whether a stage needs all of a site's rows in one place, because blocks of rows answer it; left out: rows add up. */
  readonly answersByBlocks?: true;
  /** Of a published method, a feature: rows of one level are answered together, and what levels come to adds up; null, left out: all are. */
  togetherBy?(study: S): string | null;
  /** What its texts may mean, by number; left out: the first edition alone. */
  readonly editions?: readonly number[];
  /** Its keys that texts of earlier versions lack; left out: none. */
  readonly youngerKeys?: readonly YoungerKey[];
  /** What a new study may leave open, filled in before the schema reads it. */
  withDefaults?(raw: Keys): Keys;
  /** What a new study may leave open beside that, once `withDefaults` has filled in the rest. */
  withNewDefaults?(raw: Keys): Keys;
  /**
   * What a new study leaves open and its noise decides, filled in last.
   * @param read - the schema, with defaults of its own; null for a study with a fault
   */
  withNoiseDefaults?(raw: Keys, read: (raw: Keys) => S | null): Keys;
  /** Faults beyond the schema's. */
  issues(study: S): MethodIssue[];
  /** @throws RangeError where the study cannot be planned, such as for a ρ beyond its ε */
  plan(study: S): Plan;
  site(): Promise<SiteSide>;
  aggregator(): Promise<AggregatorSide>;
  /** Forecast of a release's figures; left out: it states no number with an interval. */
  precision?(): Promise<(study: Study, input: ForecastInput) => Promise<Forecast>>;
}

/** The studies of a method. */
export type StudyOf<M> = M extends Method<infer S> ? S : never;

/** The names under which studies ask for a method's forms, the usual one first. */
export function namesOf({ sections }: Pick<Method, "sections">): string[] {
  return sections.flatMap(({ method }) => ("options" in method ? method.options : [...method.values]));
}

const siteSides = new WeakMap<Method, SiteSide>();

/** What a site runs for a study. */
export async function siteSideOf({ [methodKey]: method }: Study): Promise<SiteSide> {
  const side = siteSides.get(method) ?? (await method.site());
  siteSides.set(method, side);
  return side;
}

/** Whether a method knows what a text of this edition means. @param edition - undefined: the first */
export const hasEdition = (
  { editions = [1] }: Pick<Method, "editions">,
  edition: number | undefined,
): boolean => editions.includes(edition ?? 1);

/** Number of a method's newest edition. */
export const newestEdition = ({ editions = [1] }: Pick<Method, "editions">): number => Math.max(...editions);

export const analysisOf = ({ sections }: Pick<Method, "sections">): string => sections[0].analysis.value;
export const variantOf = ({ sections }: Pick<Method, "sections">): Variant => sections[0].variant.value;
