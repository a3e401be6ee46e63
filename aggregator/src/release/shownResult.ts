import type { MethodResult } from "@consilium/core/method/aggregatorSide";
import type { StudyResultView } from "@consilium/core/operator/consoleViews";
import { shownFigures } from "@consilium/core/release/shownFigures";

/** The name under which a study's result is kept for the operator's console. */
export const shownResultStep = "shown-result";

/** What a page shows of a result: what everybody who reads the release sees, without its rows and its model. */
export function shownResult(result: MethodResult): StudyResultView {
  const { table, figures, predictor, card, notes } = result;
  return {
    columns: (table?.columns ?? []).map(({ name, description }) => ({ name, description })),
    rows: table?.rows.rows ?? 0,
    figures: shownFigures(figures ?? [], predictor ?? null),
    card: card ?? null,
    notes: [...notes],
  };
}
