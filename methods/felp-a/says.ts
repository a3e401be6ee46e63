import type { AnySaid, Name, None } from "@consilium/words/said";

/** Weights of features by prototypes: what is sent. */
export interface FelpASays {
  "felp-a.prototypes": { label: Name; columns: number; length: number };
  "felp-a.margins": { features: number; length: number; weighed: number };
  "felp-a.few-rows": { subject: AnySaid; needed: number; units: AnySaid; expected: AnySaid };
  "felp-a.features": { selected: number; of: number };
  "felp-a.classes": { classes: number; columns: number };
  "felp-a.centre-length": { numbers: number; columns: number };
  "felp-a.long-stage": { numbers: number; max: number };
  "felp-a.broadcast": { what: AnySaid };
  "felp-a.length": { name: Name; length: number };
  "felp-a.prototype-values": None;
  "felp-a.presence": None;
  "felp-a.weight-values": None;
}
