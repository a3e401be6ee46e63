import type { MethodResult } from "@consilium/core/method/aggregatorSide";
import {
  type Selection,
  type SelectionStudy,
  selectionCard,
  selectionCaution,
  selectionFigures,
  selectionPredictor,
  selectionWarnings,
} from "./selection.js";

/** What is released of a selection, whatever the method. */

/** @param sites - whose records are in it */
export function shownOf(
  study: SelectionStudy,
  result: Selection,
  sites: number,
): Pick<MethodResult, "predictor" | "figures" | "card" | "caution"> {
  return {
    predictor: selectionPredictor(study, result),
    figures: selectionFigures(study, result),
    card: selectionCard(study, result, sites),
    caution: selectionCaution(result),
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
