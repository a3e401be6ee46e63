import type { AnySaid, Name } from "@consilium/words/said";

/** Correlation trees by counts: what is sent. */
export interface DpPccSays {
  "dp-pcc.sent": { level: number; nodes: number; features: number; label: Name };
  "dp-pcc.few-rows": { expected: AnySaid; level: number; depth: number; needed: number; units: AnySaid };
  "dp-pcc.long-stage": { numbers: number; max: number };
  "dp-pcc.guard": { needed: number; units: AnySaid; rows: number };
}
