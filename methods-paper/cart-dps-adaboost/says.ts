import type { Name, None } from "@consilium/words/said";

/** Boosted CART trees as published: what is sent, who learns it, and its noise. */
export interface CartDpsAdaboostSays {
  "cart-dps-adaboost.leaves": { label: Name };
  "cart-dps-adaboost.nodes": { attributes: number; nodes: number; label: Name; steps: number };
  "cart-dps-adaboost.learns": None;
  "cart-dps-adaboost.noise": None;
}
