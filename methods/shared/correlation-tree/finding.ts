import { z95 } from "@consilium/core/linalg/z95";
import { allowingForChoice, type Finding, finding, rejects } from "@consilium/core/release/finding";
import { nameOf } from "@consilium/core/said";
import { twoSided } from "../evaluation/normal.js";
import type { CorrelationTree } from "./correlationTree.js";
import type { TreeStudy } from "./treeStudy.js";

/**
 * The column that is correlated most with the label. Clear by test: √n·φ of a cut is about standard normal where rows are independent of it,
 * the noise of its counts comes on top, and the cut was chosen among all of all columns. A tree without a split found nothing.
 */
export function correlationTreeFinding(
  study: TreeStudy,
  {
    features,
    importance,
    isSplit,
    rows,
  }: Pick<CorrelationTree, "features" | "importance" | "isSplit" | "rows">,
): Finding {
  const outcome = nameOf(study.label.name);
  const [strongest] = importance.toSorted((a, b) => b.value - a.value);
  if (!isSplit || strongest === undefined) return finding("test", false, "finding.no-split", { outcome });
  const { feature, value, low, high } = strongest;
  const noise = high === null || low === null ? 0 : Math.max(high - value, value - low) / z95;
  const z = value / Math.hypot(noise, 1 / Math.sqrt(Math.max(1, rows)));
  const cuts = features.reduce((sum, { kind, bins }) => sum + (kind === "ordered" ? bins - 1 : bins), 0);
  const isClear = rejects(allowingForChoice(twoSided(z), cuts));
  return finding("test", isClear, "finding.correlated", {
    outcome,
    column: nameOf(feature),
    value,
    low: low ?? value,
    high: high ?? value,
    of: features.length,
    clear: isClear ? 1 : 0,
  });
}
