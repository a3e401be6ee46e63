import { excludes, type Finding, finding } from "@consilium/core/release/finding";
import { nameOf } from "@consilium/core/said";
import type { Label } from "@consilium/core/study/features";
import { isImprecise } from "./estimate.js";
import { decisiveOf, type EvaluationResult } from "./evaluationResult.js";

/**
 * Finding of a study that asks for a model which predicts: how well it does on held-out rows, and clear where the interval excludes chance.
 * Where nothing was measured it is clear by the share that stands out of the noise.
 * @param strongest - what the model rests on most; null where nothing in it stands out of the noise
 */
export function modelFinding(
  label: Label,
  evaluation: EvaluationResult | null,
  strongest: string | null,
): Finding {
  const outcome = nameOf(label.levels.length === 2 ? `${label.name} = ${label.levels[1]!}` : label.name);
  if (evaluation === null) {
    const first = strongest === null ? null : nameOf(strongest);
    return finding("share", first !== null, "finding.unmeasured-model", { outcome, first });
  }
  const { name, estimate, chance } = decisiveOf(evaluation);
  if (isImprecise(estimate)) return finding("interval", false, "finding.imprecise-model", { outcome });
  const { value, low, high } = estimate;
  const isClear = excludes(estimate, chance) && value > chance;
  const params = { outcome, value, low, high, clear: isClear ? 1 : 0 };
  return name === "balanced accuracy"
    ? finding("interval", isClear, "finding.balanced-accuracy", { ...params, chance })
    : finding("interval", isClear, "finding.auc", params);
}
