import type { StudyResultView } from "@consilium/core/operator/consoleViews";
import { shownFigures } from "@consilium/core/release/shownFigures";
import type { FinishedResult } from "@consilium/core/release/withFlow";

/** The key of a study's result for the operator's console. */
export const shownResultStep = "shown-result";

/** The public part of a result for a page, without rows and model. */
export function shownResult(result: FinishedResult): StudyResultView {
  const { table, figures, predictor, card, finding, counted, flow, notes, facts } = result;
  return {
    columns: (table?.columns ?? []).map(({ name, description }) => ({ name, description })),
    rows: table?.rows.rows ?? 0,
    figures: shownFigures(figures ?? [], predictor ?? null),
    card: card ?? null,
    ...(finding === null ? {} : { finding }),
    ...(counted === undefined ? {} : { counted: [...counted] }),
    ...(flow === undefined ? {} : { flow }),
    notes: [...notes],
    ...(typeof facts.records === "number" ? { records: facts.records } : {}),
  };
}
