import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { rowsExpected } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { expectedPrecision } from "../shared/counts/precision.js";
import { asSyntheticTable, syntheticTableLayout } from "./study.js";

/** Of the counts that rows are drawn by: each column's own. */
export function precision(given: Study): ExpectedPrecision[] {
  const study = asSyntheticTable(given);
  if (study.privacy === "none") return [];
  const { margins, stage } = syntheticTableLayout(study);
  return margins.map(({ weight }, c) => ({
    statistic: "count",
    of: study.features[c]!.name,
    within: expectedPrecision(study, stage, weight),
    unit: null,
    rows: rowsExpected(study),
    isOfGroup: false,
  }));
}
