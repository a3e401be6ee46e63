import { goesLeft, type SplitNode, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { binsOf, fullLayout } from "../trees/histograms.js";
import { type BoostingStage, channels, type SecondOrderSettings } from "../trees/secondOrder.js";
import { levelStage, type SecondOrderSums, splitImportances } from "../trees/secondOrderConversation.js";

/** What a feature is worth, and how sure that is. */
export interface Importance {
  /** Average or summed gain, 0 for a feature that was never split on; or the Hamming score; or the association. */
  readonly value: number;
  /**
   * Standard deviation of what the noise alone makes of it, to first order, that its splits were chosen for their gains
   * left out; 0 without noise, null where it was never split on.
   */
  readonly stdDev: number | null;
  /** Null where no trees were grown. */
  readonly splits: number | null;
  /** Whether it is more than chance makes of a feature that says nothing of the label. */
  readonly standsOut: boolean;
}

/** A stage's sums as they came, and the noise in them. */
interface Seen {
  readonly sums: Float64Array;
  readonly stdDev: number;
}

/** Sums that are remembered, for what is computed from them after the trees have grown. */
export function rememberedSums(sums: SecondOrderSums): {
  readonly sums: SecondOrderSums;
  readonly seen: ReadonlyMap<BoostingStage, Seen>;
} {
  const seen = new Map<BoostingStage, Seen>();
  return {
    seen,
    sums: {
      ...sums,
      async sum(stage, broadcast) {
        const values = await sums.sum(stage, broadcast);
        seen.set(stage, { sums: values, stdDev: sums.stdDev(stage) });
        return values;
      },
    },
  };
}

/** The importance of every feature to an ensemble. @param seen - of all its stages */
export function gainImportance(options: {
  readonly ensemble: TreeEnsemble;
  readonly settings: SecondOrderSettings;
  readonly stages: readonly BoostingStage[];
  readonly seen: ReadonlyMap<BoostingStage, Seen>;
  readonly measure: "average-gain" | "gain-per-tree";
}): Importance[] {
  const { ensemble, settings, stages, seen, measure } = options;
  const count = settings.features.length;
  const variances = new Float64Array(count);
  ensemble.trees.forEach(({ nodes }, tree) => {
    const visit = (at: number, level: number, node: number): void => {
      const one = nodes[at]!;
      if (one.kind === "leaf") return;
      const stage = levelStage(stages, tree, level);
      variances[one.feature]! += gainVariance(settings, seen.get(stage)!, one, level, node);
      visit(one.left, level + 1, 2 * node);
      visit(one.right, level + 1, 2 * node + 1);
    };
    visit(0, 0, 0);
  });
  return splitImportances(ensemble.trees, count, settings.outputs).map((one, f): Importance => {
    const value = measure === "average-gain" ? one.averageGain : one.gainPerTree;
    const parts = measure === "average-gain" ? one.splits : ensemble.trees.length / settings.outputs;
    return {
      value,
      stdDev: one.splits === 0 ? null : Math.sqrt(variances[f]!) / parts,
      splits: one.splits,
      standsOut: value > 0,
    };
  });
}

/**
 * Of a split's gain G_L²/(H_L+λ) + G_R²/(H_R+λ) - G²/(H+λ), by its slopes 2(w_L - w) in G_L and w² - w_L² in H_L, with
 * w = G/(H+λ), and alike on the right.
 */
function gainVariance(
  settings: SecondOrderSettings,
  { sums, stdDev }: Seen,
  split: SplitNode,
  level: number,
  node: number,
): number {
  if (stdDev === 0) return 0;
  const layout = fullLayout(settings.features, 2 ** level, channels);
  const bins = binsOf(sums, layout, node, split.feature);
  const unit = 2 ** -settings.gridExponent;
  const { kind } = settings.features[split.feature]!;
  const side = (isLeft: boolean) => {
    let [g, h, entries] = [0, 0, 0];
    for (let b = 0; b < bins.length / channels; b++) {
      if (goesLeft(split, kind, b) !== isLeft) continue;
      g += bins[channels * b]! * unit;
      h += Math.max(bins[channels * b + 1]!, 0) * unit;
      entries++;
    }
    return { g, h, entries };
  };
  const [left, right] = [side(true), side(false)];
  const weight = (g: number, h: number) => g / (h + settings.lambda || 1);
  const whole = weight(left.g + right.g, left.h + right.h);
  const slopes = [left, right].map(({ g, h, entries }) => {
    const own = weight(g, h);
    return entries * ((2 * (own - whole)) ** 2 + (whole ** 2 - own ** 2) ** 2);
  });
  return (slopes[0]! + slopes[1]!) * (stdDev * unit) ** 2;
}
