import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { rowsExpected } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { expectedPrecision } from "../shared/counts/precision.js";
import { asCounts, countsLayout } from "./study.js";

/** Every condition is counted with the same noise. */
export function precision(given: Study): ExpectedPrecision[] {
  const study = asCounts(given);
  if (study.privacy === "none") return [];
  const { groups, stage } = countsLayout(study);
  const within = expectedPrecision(study, stage, 1);
  const rows = Math.floor(rowsExpected(study) / groups);
  return [{ statistic: "count", of: null, within, unit: null, rows, isOfGroup: groups > 1 }];
}
