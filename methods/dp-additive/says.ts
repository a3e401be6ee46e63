import type {} from "@consilium/words/said";

/** Additive boosting: what is sent. */
export interface DpAdditiveSays {
  "dp-additive.sent": { features: number };
}
