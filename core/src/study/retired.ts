import { ConsiliumError } from "../errors.js";
import type { PlanFacts } from "./planFacts.js";

/** What this software no longer takes part in, though it reads it: a method's edition, a plan's format or a formula, and why, for people. */
export type Retired = { readonly why: string } & (
  | { readonly method: string; readonly edition: number }
  | { readonly format: string }
  | { readonly accounting: string }
);

/**
 * Nobody negotiates it: the aggregator starts no study that rests on what stands here, a site refuses it whatever the aggregator
 * says, before anything is reserved, and who verifies a release is told. An entry stays.
 */
export const retired: readonly Retired[] = [];

type Rests = Pick<PlanFacts, "edition" | "accounting"> & { readonly format: string };

/** The first entry that a study's plan falls under; null where it falls under none. @param method - as the study's text names it */
export function retirementOf(method: string, plan: Rests, list: readonly Retired[]): Retired | null {
  const { edition, format, accounting } = plan;
  const falls = (one: Retired) => {
    if ("method" in one) return one.method === method && one.edition === edition;
    if ("format" in one) return one.format === format;
    return accounting.some((formula) => formula === one.accounting);
  };
  return list.find(falls) ?? null;
}

/**
 * Demands that nothing which a study's plan rests on is retired.
 * @param method - as the study's text names it
 * @throws ConsiliumError STUDY_RETIRED
 */
export function demandUnretired(method: string, plan: Rests, list: readonly Retired[]): void {
  const gone = retirementOf(method, plan, list);
  if (gone !== null)
    throw new ConsiliumError("STUDY_RETIRED", `${retiredName(gone)} is retired: ${gone.why}`);
}

/** What is retired, by its name. */
export function retiredName(one: Retired): string {
  if ("method" in one) return `${one.method}, edition ${one.edition}`;
  return "format" in one ? one.format : one.accounting;
}
