import type { Name } from "@consilium/words/said";

/** Correlation trees by blocks: what is sent. */
export interface DpPccSSays {
  "dp-pcc-s.sent": { blocks: number; level: number; nodes: number; features: number; label: Name };
}
