import type { None } from "@consilium/words/said";

/** Weights of features as published: what is sent, who learns it, and its noise. */
export interface FelpSays {
  "felp.sent": { features: number; subsamples: number };
  "felp.learns": { noisy: number };
  "felp.noise-own": None;
  "felp.noise-aggregator": None;
}
