import { z } from "zod";
import { assertNever } from "../result.js";
import { additiveIssues, additiveParameters, planAdditive } from "./additive.js";
import { cartAdaboostIssues, cartAdaboostParameters, planCartAdaboost } from "./cartAdaboost.js";
import { histBoostIssues, histBoostParameters, planHistBoost } from "./histBoost.js";
import type { Plan } from "./plan.js";
import type { Study } from "./study.js";

/**
 * Boosting for two classes. `variant: sound` is DP-HistBoost (`histBoost.ts`) or additive boosting (`additive.ts`), `variant: paper`
 * CART-DPsAdaBoost (`cartAdaboost.ts`): docs/methods/boosted-trees.md#boosted-trees.
 */

/** The keys that `analysis: boosted-trees` adds to a study with `method: cart-dps-adaboost`. */
export const cartAdaboostSection = {
  analysis: z.literal("boosted-trees"),
  method: z.literal("cart-dps-adaboost"),
  variant: z.literal("paper", {
    error:
      "cart-dps-adaboost is of `variant: paper`, its privacy is not proved; write that, or use dp-histboost",
  }),
  parameters: cartAdaboostParameters,
};

/** The keys that `analysis: boosted-trees` adds to a study with `method: dp-histboost`. */
export const histBoostSection = {
  analysis: z.literal("boosted-trees"),
  method: z.literal("dp-histboost"),
  variant: z.literal("sound", {
    error: "dp-histboost is `sound`; the method of `variant: paper` is cart-dps-adaboost",
  }),
  parameters: histBoostParameters,
};

/** The keys that `analysis: boosted-trees` adds to a study with `method: dp-additive`. */
export const additiveSection = {
  analysis: z.literal("boosted-trees"),
  method: z.literal("dp-additive"),
  variant: z.literal("sound", {
    error: "dp-additive is `sound`; the method of `variant: paper` is cart-dps-adaboost",
  }),
  parameters: additiveParameters,
};

export type BoostedTreesStudy = Extract<Study, { readonly analysis: "boosted-trees" }>;

/** The variant and method that a study leaves open, filled in before the schema reads it. */
export function withBoostedTreesDefaults(raw: Record<string, unknown>): Record<string, unknown> {
  const { variant = "sound", parameters = {} } = raw;
  const { method = variant === "paper" ? "cart-dps-adaboost" : "dp-histboost" } = raw;
  return { ...raw, variant, method, parameters };
}

/** Faults that only the whole study shows, as [path, message]. */
export function boostedTreesIssues(study: BoostedTreesStudy): [path: PropertyKey[], message: string][] {
  const labels = twoClassIssues(study);
  if (labels.length > 0) return labels;
  switch (study.method) {
    case "dp-histboost":
      return histBoostIssues(study);
    case "dp-additive":
      return additiveIssues(study);
    case "cart-dps-adaboost":
      return cartAdaboostIssues(study);
    default:
      return assertNever(study);
  }
}

function twoClassIssues(study: BoostedTreesStudy): [path: PropertyKey[], message: string][] {
  if (study.label === undefined) {
    return [[["label"], "missing: boosted trees learn to tell the two levels of a label apart; declare it"]];
  }
  const { length } = study.label.levels;
  // Fewer are no label at all: that is the schema's to say.
  if (length <= 2) return [];
  return [
    [
      ["label", "levels"],
      `${length} levels; boosted trees tell exactly two apart: use correlation-tree, or make the label two levels`,
    ],
  ];
}

export function planBoostedTrees(study: BoostedTreesStudy): Plan {
  switch (study.method) {
    case "dp-histboost":
      return planHistBoost(study);
    case "dp-additive":
      return planAdditive(study);
    case "cart-dps-adaboost":
      return planCartAdaboost(study);
    default:
      return assertNever(study);
  }
}
