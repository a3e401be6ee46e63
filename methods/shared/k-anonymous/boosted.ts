import type { BoostingStage, SecondOrderSettings } from "../trees/secondOrder.js";
import { type BoostedTrees, boostedTrees } from "../trees/secondOrderConversation.js";
import { gainImportance, type Importance, rememberedSums } from "./importance.js";

/** Boosting, with what the features were worth to it. */
export async function boosted(options: {
  readonly settings: SecondOrderSettings;
  readonly stages: readonly BoostingStage[];
  readonly measure: "average-gain" | "gain-per-tree";
  readonly sum: Parameters<typeof rememberedSums>[0]["sum"];
  readonly stdDev: Parameters<typeof rememberedSums>[0]["stdDev"];
}): Promise<BoostedTrees & { readonly importance: readonly Importance[] }> {
  const { settings, stages, measure, sum, stdDev } = options;
  const remembered = rememberedSums({ settings, stages, sum, stdDev });
  const grown = await boostedTrees(remembered.sums);
  const { ensemble } = grown;
  const { seen } = remembered;
  return { ...grown, importance: gainImportance({ ensemble, settings, stages, seen, measure }) };
}
