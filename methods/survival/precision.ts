import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { rowsExpected } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { z95 } from "../shared/evaluation/normal.js";
import { asSurvival, curveHalfWidth, survivalLayout } from "./study.js";

/**
 * Half-width of the curve where half of the rows survive: by the noise, and by Greenwood's variance, which is S(1 - S)/rows where nobody
 * was lost before, as in a release's intervals.
 */
export function precision(given: Study): ExpectedPrecision[] {
  const study = asSurvival(given);
  if (study.privacy === "none") return [];
  const layout = survivalLayout(study);
  const rows = Math.floor(rowsExpected(study) / layout.groups.length);
  const within = Math.min(1, Math.hypot(curveHalfWidth(study, layout), (z95 * 0.5) / Math.sqrt(rows)));
  const isOfGroup = layout.groups.length > 1;
  return [{ statistic: "survival", of: layout.groupName, within, unit: null, rows, isOfGroup }];
}
