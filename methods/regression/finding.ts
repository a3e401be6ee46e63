import {
  allowingForChoice,
  type Counted,
  eitherRejects,
  excludes,
  type Finding,
  finding,
  rejects,
} from "@consilium/core/release/finding";
import { nameOf } from "@consilium/core/said";
import { heldOutRows } from "../shared/evaluation/evaluationResult.js";
import { countedOf } from "../shared/release/counted.js";
import type { RegressionResult } from "./conversation.js";
import type { Estimate, Found } from "./estimates.js";
import { explainedOf } from "./explained.js";
import type { Tested } from "./model.js";
import { type RegressionStudy, regressionLayout } from "./study.js";

const codes = {
  logistic: "finding.odds-ratio",
  poisson: "finding.rate-ratio",
  cox: "finding.hazard-ratio",
  linear: "finding.difference",
} as const;

/** Score test that no variable is associated with the outcome; null where the fit did not converge. */
export function wholeTest(study: RegressionStudy, { fit }: Pick<RegressionResult, "fit">): Tested["whole"] {
  if (!fit.hasArrived) return null;
  const { design, parameters: d } = regressionLayout(study);
  const rows = design.columns.flatMap(({ feature }, j) =>
    feature === null ? [] : [Float64Array.from({ length: d }, (_, i) => (i === j ? 1 : 0))],
  );
  const pValue = fit.score.pValue(
    rows,
    rows.map(() => 0),
  );
  return { degreesOfFreedom: rows.length, pValue };
}

type Stated = Estimate & { readonly found: Found & { readonly pValue: number } };

const isStated = (one: Estimate): one is Stated => one.found !== null && one.found.pValue !== null;

/**
 * The clearest of the terms, and the test of the whole model. Clear where either rejects; of one term both are the same.
 */
export function regressionFinding(
  study: RegressionStudy,
  { estimates, whole }: Pick<Tested, "estimates" | "whole">,
): Finding {
  const outcome = nameOf(explainedOf(study));
  const stated = estimates.filter(isStated);
  const [clearest] = stated.toSorted((a, b) => a.found.pValue - b.found.pValue);
  if (clearest === undefined) {
    const terms = estimates.filter(({ feature }) => feature !== null).length;
    return whole !== null && rejects(whole.pValue)
      ? finding("test", true, "finding.jointly", { outcome, terms, whole: whole.pValue })
      : finding("interval", false, "finding.no-coefficient", { outcome, terms });
  }
  const { found } = clearest;
  // What is stated comes from a fit that converged.
  const ofModel = whole?.pValue ?? 1;
  const of = stated.length;
  const chosen = allowingForChoice(found.pValue, of);
  const isClear = of === 1 ? excludes(found, 0) : eitherRejects(chosen, ofModel);
  const by = of === 1 || rejects(2 * chosen) || !isClear ? "interval" : "test";
  const { value, low, high } = found.ratio ?? { ...found, value: found.coefficient };
  return finding(by, isClear, codes[study.parameters.family], {
    outcome,
    term: nameOf(clearest.name),
    reference: clearest.reference === null ? null : nameOf(clearest.reference),
    step: clearest.per,
    unit: clearest.unit === null ? null : nameOf(clearest.unit),
    value,
    low,
    high,
    of,
    chosen,
    whole: ofModel,
    clear: isClear ? 1 : 0,
  });
}

/** Rows of the fit, events and exposure, as far as the sums have them. */
export function regressionCounted(study: RegressionStudy, result: RegressionResult): Counted[] {
  const { parameters, label } = study;
  const { rows, positives, events, evaluation } = result;
  const event = label === undefined ? parameters.outcome! : explainedOf(study);
  const column = parameters.exposure ?? parameters.time;
  const declared = study.features.find(({ name }) => name === column);
  const unit = declared?.type === "numeric" ? (declared.unit ?? null) : null;
  return [
    ...(rows === null ? [] : [countedOf(study, evaluation === null ? "used" : "training", rows)]),
    ...(positives === null ? [] : [countedOf(study, "events", positives, { name: event })]),
    ...(events === null
      ? []
      : [
          countedOf(study, "events", events.total, { name: event }),
          ...(column === undefined
            ? []
            : [countedOf(study, "exposure", events.exposure, { name: column, unit })]),
        ]),
    ...(evaluation === null ? [] : [countedOf(study, "held-out", heldOutRows(evaluation))]),
  ];
}
