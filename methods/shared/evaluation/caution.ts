import type { EvaluationResult } from "./evaluationResult.js";

/**
 * What a release says on its face where noise explains all of its result: in the README, on its page and in every list.
 * @param nothing - of a result without any structure, why; null where it has some
 * @param evaluation - of a model that was measured
 * @returns null where something stands out of the noise
 */
export function cautionOf(nothing: string | null, evaluation: EvaluationResult | null): string | null {
  if (nothing !== null) return `Noise explains this result: ${nothing}`;
  if (evaluation === null) return null;
  const [name, { value, low, high }, chance] =
    evaluation.scores === null
      ? (["balanced accuracy", evaluation.balancedAccuracy, 1 / evaluation.recall.length] as const)
      : (["area under the ROC curve", evaluation.scores.auc, 0.5] as const);
  if (low > chance) return null;
  const shown = [value, low, high].map((x) => x.toFixed(3));
  return `Noise may explain this result: on held-out rows the model's ${name} is ${shown[0]} (${shown[1]} to ${shown[2]}), which chance reaches.`;
}
