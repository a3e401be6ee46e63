import type { Words } from "@consilium/words/said";
import type { XgbKaSays } from "../says.js";

export const en: Words<XgbKaSays> = {
  "xgb-ka.tags": () =>
    "how many rows have the same values of some features, each combination of values under a tag that the sites alone can make",
  "xgb-ka.rows": ({ label }) =>
    `every row of the table: of each selected feature its interval or level, of all others nothing, with ${label}`,
  "xgb-ka.learns-sum": () =>
    "the aggregator, and every site and reader through what is computed from it: the exact sum over all sites",
  "xgb-ka.learns-tags": () =>
    "the aggregator: how many different combinations the site has and how often each comes, and which sites have the same ones; with any one site's help, the combinations themselves",
  "xgb-ka.noise-tags": () => "none: the counts are exact",
  "xgb-ka.noise-rows": ({ k }) => `none: combinations that fewer than ${k} rows have are not asked for`,
};
