import type { Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import type { Study } from "@consilium/core/study/study";
import { evaluationPrecision } from "../shared/forecast/evaluationPrecision.js";
import { asHistBoost, histBoostLayout } from "./study.js";

/** Forecast of the model's measures on held-out rows. */
export async function precision(given: Study, input: ForecastInput): Promise<Forecast> {
  const study = asHistBoost(given);
  const { evaluation: stage } = histBoostLayout(study);
  const classes = study.label?.levels.length ?? 2;
  const { evaluation } = study.parameters;
  return { lines: evaluationPrecision(study, { stage, evaluation, classes }, input), remarks: [] };
}
