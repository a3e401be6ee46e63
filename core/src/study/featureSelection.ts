import { felpAIssues, planFelpA } from "./felpA.js";
import { felpSIssues, planFelpS } from "./felpS.js";
import { paperFelpIssues, planPaperFelp } from "./paperFelp.js";
import type { Plan } from "./plan.js";
import type { Study } from "./study.js";

/**
 * Choice of features by local learning: `analysis: feature-selection`. `variant: sound` is felp-a, its default, or
 * felp-s; `variant: paper` is FELP and FPLE, and FWELL and FWELL-EN without noise. What each computes and why the sound
 * ones are private: docs/methods/feature-selection.md#feature-selection.
 */
export type FeatureSelectionStudy = Extract<Study, { readonly analysis: "feature-selection" }>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asFeatureSelection(study: Study): FeatureSelectionStudy {
  if (study.analysis === "feature-selection") return study;
  throw new RangeError(`${study.analysis} is not feature-selection`);
}

/** The variant and method that a study leaves open: `sound` and felp-a, or felp for `paper`. */
export function withFeatureSelectionDefaults(raw: Record<string, unknown>): Record<string, unknown> {
  const { variant = "sound", method = variant === "paper" ? "felp" : "felp-a" } = raw;
  return { ...raw, variant, method };
}

/** Faults that only the whole study shows, as [path, message]. */
export function featureSelectionIssues(
  study: FeatureSelectionStudy,
): [path: PropertyKey[], message: string][] {
  const features = study.features.length;
  const { select } = study.parameters;
  if (select !== undefined && select > features) {
    return [[["parameters", "select"], `${select} features asked of ${features}; ask at most ${features}`]];
  }
  switch (study.method) {
    case "felp-a":
      return felpAIssues(study);
    case "felp-s":
      return felpSIssues(study);
    default:
      return paperFelpIssues(study);
  }
}

export function planFeatureSelection(study: FeatureSelectionStudy): Plan {
  switch (study.method) {
    case "felp-a":
      return planFelpA(study);
    case "felp-s":
      return planFelpS(study);
    default:
      return planPaperFelp(study);
  }
}
