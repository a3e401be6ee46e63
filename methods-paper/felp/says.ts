import type { Name, None } from "@consilium/words/said";

/** Weights of features as published: what is sent, who learns it, and its noise. */
export interface FelpSays {
  "felp.sent": { features: number; subsamples: number };
  "felp.learns": { noisy: number };
  "felp.noise-own": None;
  "felp.noise-aggregator": None;
  "felp.slow": { rows: number };
  "felp.few-rows": { selected: number; of: number; needed: number };
  "felp.neighbours": None;
  "felp.lengths": None;
  "felp.left-out": None;
  "felp.exact-weights": None;
  "felp.without-noise": { method: Name };
}
