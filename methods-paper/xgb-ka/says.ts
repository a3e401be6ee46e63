import type { Name, None } from "@consilium/words/said";

/** Released sets of features as published: what is sent, who learns it, and its noise. */
export interface XgbKaSays {
  "xgb-ka.tags": None;
  "xgb-ka.rows": { label: Name };
  "xgb-ka.learns-sum": None;
  "xgb-ka.learns-tags": None;
  "xgb-ka.noise-tags": None;
  "xgb-ka.noise-rows": { k: number };
  "xgb-ka.rows-public": None;
  "xgb-ka.k-anonymity": None;
  "xgb-ka.one-class": None;
  "xgb-ka.single-records": None;
  "xgb-ka.rows-read": None;
  "xgb-ka.tags-read": None;
  "xgb-ka.tests-trusted": None;
  "xgb-ka.variant": None;
  "xgb-ka.without-noise": { method: Name };
  "xgb-ka.fewer-rows": { k: number };
  "xgb-ka.no-value": None;
}
