import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { rowsExpected } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { asSurvival, curveHalfWidth, survivalLayout } from "./study.js";

/** Of the curve where half of the rows survive; by the noise alone. */
export function precision(given: Study): ExpectedPrecision[] {
  const study = asSurvival(given);
  if (study.privacy === "none") return [];
  const layout = survivalLayout(study);
  const rows = Math.floor(rowsExpected(study) / layout.groups.length);
  const within = curveHalfWidth(study, layout);
  const isOfGroup = layout.groups.length > 1;
  return [{ statistic: "survival", of: layout.groupName, within, unit: null, rows, isOfGroup, bins: null }];
}
