import type { PlanFacts } from "./planFacts.js";

/** What this software no longer takes part in, though it reads it: a method's edition, a plan's format or a formula, and why, for people. */
export type Retired = { readonly why: string } & (
  | { readonly method: string; readonly edition: number }
  | { readonly format: string }
  | { readonly accounting: string }
);

/**
 * Nobody negotiates it: a site refuses what stands here whatever the aggregator says, before anything is reserved, and who
 * verifies a release is told. An entry stays.
 */
export const retired: readonly Retired[] = [];

/** The first entry that a study's plan falls under; null where it falls under none. @param method - as the study's text names it */
export function retirementOf(
  method: string,
  plan: Pick<PlanFacts, "edition" | "accounting"> & { readonly format: string },
  list: readonly Retired[],
): Retired | null {
  const { edition, format, accounting } = plan;
  const falls = (one: Retired) => {
    if ("method" in one) return one.method === method && one.edition === edition;
    if ("format" in one) return one.format === format;
    return accounting.some((formula) => formula === one.accounting);
  };
  return list.find(falls) ?? null;
}

/** What is retired, by its name. */
export function retiredName(one: Retired): string {
  if ("method" in one) return `${one.method}, edition ${one.edition}`;
  return "format" in one ? one.format : one.accounting;
}
