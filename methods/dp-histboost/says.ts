import type { AnySaid, Name, None } from "@consilium/words/said";

/** Boosted trees that vote: what is sent. */
export interface DpHistBoostSays {
  "dp-histboost.splits": { features: number; level: number; nodes: number; label: Name };
  "dp-histboost.leaves": { leaves: number; label: Name };
  "dp-histboost.few-rows": { expected: AnySaid; level: number; depth: number; units: AnySaid };
  "dp-histboost.node-features": { asked: number; features: number };
  "dp-histboost.long-stage": { numbers: number; max: number };
  "dp-histboost.ring": None;
  "dp-histboost.never-splits": { trees: number; depth: number; needed: number; units: AnySaid; rows: number };
}
