import type { Name } from "@consilium/words/said";

/** Weights of features by prototypes: what is sent. */
export interface FelpASays {
  "felp-a.prototypes": { label: Name; columns: number; length: number };
  "felp-a.margins": { features: number; length: number; weighed: number };
}
