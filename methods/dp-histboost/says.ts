import type { AnySaid, Name } from "@consilium/words/said";

/** Boosted trees that vote: what is sent. */
export interface DpHistBoostSays {
  "dp-histboost.splits": { features: number; level: number; nodes: number; label: Name };
  "dp-histboost.leaves": { leaves: number; label: Name };
  "dp-histboost.few-rows": { expected: AnySaid; level: number; depth: number; units: AnySaid };
}
