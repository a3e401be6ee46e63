import type { Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import type { Study } from "@consilium/core/study/study";
import { evaluationPrecision } from "../shared/forecast/evaluationPrecision.js";
import { additiveLayout, asAdditive } from "./study.js";

/** Forecast of the model's measures on held-out rows. */
export async function precision(given: Study, input: ForecastInput): Promise<Forecast> {
  const study = asAdditive(given);
  const { evaluation: stage } = additiveLayout(study);
  const classes = study.label?.levels.length ?? 2;
  const { evaluation } = study.parameters;
  return { lines: evaluationPrecision(study, { stage, evaluation, classes }, input), remarks: [] };
}
