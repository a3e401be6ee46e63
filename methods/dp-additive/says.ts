import type { AnySaid } from "@consilium/words/said";

/** Additive boosting: what is sent. */
export interface DpAdditiveSays {
  "dp-additive.sent": { features: number };
  "dp-additive.few-rows": { expected: AnySaid; needed: number; units: AnySaid };
  "dp-additive.better": { expected: AnySaid; features: number; depth: number };
}
