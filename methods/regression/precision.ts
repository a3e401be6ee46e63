import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { rowsExpected } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { asRegression, expectedHalfWidths, type RegressionStudy } from "./study.js";

const ratios = { logistic: "odds ratio", poisson: "rate ratio", cox: "hazard ratio" } as const;

/** Half-widths of each column's coefficient over the column's whole range, at best: for columns that are independent and even. */
export function precision(given: Study): ExpectedPrecision[] {
  const study = asRegression(given);
  if (study.privacy === "none") return [];
  const { family } = study.parameters;
  const rows = rowsExpected(study);
  const all = { rows, isOfGroup: false };
  const outcome = outcomeOf(study);
  return expectedHalfWidths(study, rows).map(({ feature, halfWidth }) => {
    const of = study.features[feature]!.name;
    return family === "linear"
      ? {
          statistic: "difference",
          of,
          within: Math.min(halfWidth, 1) * outcome.range,
          unit: outcome.unit,
          ...all,
        }
      : {
          statistic: ratios[family],
          of,
          within: Math.min(Math.exp(halfWidth), ratioMost),
          unit: null,
          ...all,
        };
  });
}

/** A wider interval says nothing, and is no number in JSON where it is infinite. */
const ratioMost = 1e6;

/** Half-widths of a linear regression are in parts of the outcome's range. */
function outcomeOf({ features, parameters }: RegressionStudy): { range: number; unit: string | null } {
  const outcome = features.find(({ name }) => name === parameters.outcome);
  return outcome?.type === "numeric"
    ? { range: outcome.max - outcome.min, unit: outcome.unit ?? null }
    : { range: 1, unit: null };
}
