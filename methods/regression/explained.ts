import type { RegressionStudy } from "./study.js";

/** Name of what is explained: the outcome, or the label with its level or event. */
export function explainedOf({ parameters, label }: RegressionStudy): string {
  if (label === undefined) return parameters.outcome!;
  return `${label.name} = ${parameters.family === "cox" ? parameters.event! : label.levels[1]!}`;
}
