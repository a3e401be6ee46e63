import type {} from "@consilium/words/said";

/** Weights of features by blocks: what is sent. */
export interface FelpSSays {
  "felp-s.sent": { features: number; blocks: number };
}
