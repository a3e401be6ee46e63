import { assertNever } from "../result.js";
import { dpPccIssues, planDpPcc } from "./dpPcc.js";
import { dpPccSIssues, planDpPccS } from "./dpPccS.js";
import { pearsonIssues, planPearsonTree } from "./pearsonTree.js";
import type { Plan } from "./plan.js";
import type { Study } from "./study.js";

/**
 * A decision tree by Pearson's correlation. `variant: sound` is dp-pcc or dp-pcc-s (`dpPcc.ts`, `dpPccS.ts`);
 * `variant: paper` is pearson-tree (`pearsonTree.ts`). All: docs/methods/correlation-tree.md#correlation-tree.
 */
export type CorrelationTreeStudy = Extract<Study, { readonly analysis: "correlation-tree" }>;

/** Of the sound methods. */
export type SoundTreeStudy = Extract<CorrelationTreeStudy, { readonly variant: "sound" }>;

/** The variant and method that a study leaves open: they decide which other keys there are. */
export function withCorrelationTreeDefaults(raw: Record<string, unknown>): Record<string, unknown> {
  const { variant = "sound", method = variant === "paper" ? "pearson-tree" : "dp-pcc" } = raw;
  return { ...raw, variant, method };
}

/** Faults that only the whole study shows, as [path, message]. */
export function correlationTreeIssues(study: CorrelationTreeStudy): [path: PropertyKey[], message: string][] {
  switch (study.method) {
    case "dp-pcc":
      return dpPccIssues(study);
    case "dp-pcc-s":
      return dpPccSIssues(study);
    case "pearson-tree":
      return pearsonIssues(study);
    default:
      return assertNever(study);
  }
}

export function planCorrelationTree(study: CorrelationTreeStudy): Plan {
  switch (study.method) {
    case "dp-pcc":
      return planDpPcc(study);
    case "dp-pcc-s":
      return planDpPccS(study);
    case "pearson-tree":
      return planPearsonTree(study);
    default:
      return assertNever(study);
  }
}

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asCorrelationTree(study: Study): CorrelationTreeStudy {
  if (study.analysis === "correlation-tree") return study;
  throw new RangeError(`${study.analysis} is no correlation tree`);
}
