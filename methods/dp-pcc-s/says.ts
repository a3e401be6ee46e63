import type { AnySaid, Name } from "@consilium/words/said";

/** Correlation trees by blocks: what is sent. */
export interface DpPccSSays {
  "dp-pcc-s.sent": { blocks: number; level: number; nodes: number; features: number; label: Name };
  "dp-pcc-s.few-rows": { expected: AnySaid; rows: number; level: number };
  "dp-pcc-s.few-blocks": { blocks: number; hidden: number; needed: number; shown: number };
  "dp-pcc-s.many-counts": { blocks: number; nodes: number; counts: number; max: number; maxNodes: number };
  "dp-pcc-s.noise": { needed: number; max: number };
}
