import type { Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import type { Study } from "@consilium/core/study/study";
import { expectedPrecision } from "../shared/counts/precision.js";
import { countLine } from "../shared/forecast/countLine.js";
import { asSyntheticTable, syntheticTableLayout } from "./study.js";

/** Of the counts that rows are drawn by: each column's own. */
export async function precision(given: Study, { rows }: ForecastInput): Promise<Forecast> {
  const study = asSyntheticTable(given);
  const { margins, stage } = syntheticTableLayout(study);
  const lines = margins.map(({ weight }, c) =>
    countLine({
      of: study.features[c]!.name,
      within: expectedPrecision(study, stage, weight),
      rows,
      isOfGroup: false,
    }),
  );
  return { lines, remarks: [] };
}
