import type { Name, None } from "@consilium/words/said";

/** Boosted CART trees as published: what is sent, who learns it, and its noise. */
export interface CartDpsAdaboostSays {
  "cart-dps-adaboost.leaves": { label: Name };
  "cart-dps-adaboost.nodes": { attributes: number; nodes: number; label: Name; steps: number };
  "cart-dps-adaboost.learns": None;
  "cart-dps-adaboost.noise": None;
  "cart-dps-adaboost.weighted": None;
  "cart-dps-adaboost.weights-together": None;
  "cart-dps-adaboost.resampled": None;
  "cart-dps-adaboost.exact-counts": None;
  "cart-dps-adaboost.largest-weight": None;
  "cart-dps-adaboost.budget": None;
  "cart-dps-adaboost.noise-afterwards": None;
  "cart-dps-adaboost.node-features": { asked: number; features: number };
  "cart-dps-adaboost.long-stage": { numbers: number; max: number };
  "cart-dps-adaboost.many-rows": { rows: number };
}
