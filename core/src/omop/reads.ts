import type { OmopPlan } from "./plan.js";

/**
 * What a plan reads, in the words that a policy's column rules have for OMOP tables: `age`, `sex`, the domains and the
 * numbers of the concepts. The study's own names for its columns say nothing of that.
 */
export function omopReads(plan: OmopPlan): string[] {
  const read = new Set<string>([plan.index.domain]);
  for (const column of plan.columns) read.add("domain" in column ? column.domain : column.value);
  for (const set of Object.values(plan.conceptSets))
    for (const { concept, excluded } of set) if (!excluded) read.add(String(concept));
  return [...read];
}
