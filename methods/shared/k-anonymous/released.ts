import type { SumConversation } from "@consilium/core/learning/sums";
import type { MethodResult } from "@consilium/core/method/aggregatorSide";
import {
  type Selection,
  type SelectionStudy,
  selectionCard,
  selectionFigures,
  selectionFinding,
  selectionPredictor,
  selectionWarnings,
} from "./selection.js";

/** What is released of a selection, whatever the method. */

export function shownOf(
  study: SelectionStudy,
  result: Selection,
  { survivors, part }: Pick<SumConversation, "survivors" | "part">,
): Pick<MethodResult, "predictor" | "figures" | "card" | "finding"> {
  return {
    predictor: part("predictor", () => selectionPredictor(study, result)),
    figures: part("figures", () => selectionFigures(study, result)),
    card: part("card", () => selectionCard(study, result, survivors)),
    finding: selectionFinding(study, result),
  };
}

export function selectionFacts(study: SelectionStudy, { pass }: Selection): MethodResult["facts"] {
  return {
    masking: "pairwise",
    k: study.parameters.k,
    selected: pass.selected.length,
    tests: pass.tried.filter(({ test }) => test !== null).length,
  };
}

export function selectionNotes(study: SelectionStudy, result: Selection): string[] {
  return [
    "features in model.json are in the order of their importance, in which they were tried one by one; selected are those that were released.",
    ...selectionWarnings(study, result),
  ];
}
