import type { Name, None } from "@consilium/words/said";

/** Released sets of features as published: what is sent, who learns it, and its noise. */
export interface XgbKaSays {
  "xgb-ka.tags": None;
  "xgb-ka.rows": { label: Name };
  "xgb-ka.learns-sum": None;
  "xgb-ka.learns-tags": None;
  "xgb-ka.noise-tags": None;
  "xgb-ka.noise-rows": { k: number };
}
