import type { AnySaid, None } from "@consilium/words/said";

/** Additive boosting: what is sent. */
export interface DpAdditiveSays {
  "dp-additive.sent": { features: number };
  "dp-additive.few-rows": { expected: AnySaid; needed: number; units: AnySaid };
  "dp-additive.better": { expected: AnySaid; features: number; depth: number };
  "dp-additive.long-stage": { numbers: number; max: number };
  "dp-additive.ring": None;
}
