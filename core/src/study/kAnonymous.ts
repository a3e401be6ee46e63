import { dpKaIssues, planDpKa } from "./dpKa.js";
import { paperKaIssues, planPaperKa } from "./paperKa.js";
import type { Plan } from "./plan.js";
import type { Study } from "./study.js";

/**
 * Features chosen by their worth, as many as leave rows in groups of at least K: `variant: sound` is dp-ka (`dpKa.ts`);
 * `variant: paper` is XGB-KA and Greedy-Hamdist (`paperKa.ts`). All: docs/methods/k-anonymous-selection.md#k-anonymous-selection.
 */
export type KAnonymousStudy = Extract<Study, { readonly analysis: "k-anonymous-selection" }>;

/** The variant and method that a study leaves open: they decide which other keys there are. */
export function withKAnonymousDefaults(raw: Record<string, unknown>): Record<string, unknown> {
  const { variant = "sound", method = variant === "paper" ? "xgb-ka" : "dp-ka" } = raw;
  return { ...raw, variant, method };
}

/** Faults that only the whole study shows, as [path, message]. */
export function kAnonymousIssues(study: KAnonymousStudy): [path: PropertyKey[], message: string][] {
  return study.method === "dp-ka" ? dpKaIssues(study) : paperKaIssues(study);
}

export function planKAnonymous(study: KAnonymousStudy): Plan {
  return study.method === "dp-ka" ? planDpKa(study) : planPaperKa(study);
}

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asKAnonymous(study: Study): KAnonymousStudy {
  if (study.analysis === "k-anonymous-selection") return study;
  throw new RangeError(`${study.analysis} selects no features under K-anonymity`);
}
