import type { AnySaid } from "@consilium/words/said";

/** Weights of features by blocks: what is sent. */
export interface FelpSSays {
  "felp-s.sent": { features: number; blocks: number };
  "felp-s.few-blocks": { selected: number; of: number; needed: number; blocks: number; expected: AnySaid };
  "felp-s.many-blocks": { blocks: number; rows: number };
}
