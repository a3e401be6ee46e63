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
  "xgb-ka.rows-public": () =>
    "the released rows are records, as intervals and levels: this is for data that may be public",
  "xgb-ka.k-anonymity": () =>
    "K-anonymity is not differential privacy: it bounds nothing against somebody who knows more, or reads a second release.",
  "xgb-ka.one-class": () => "A group of K rows that all have one class shows the class of everybody in it.",
  "xgb-ka.single-records": () =>
    "Which features are released depends on single records: one of them can decide a test.",
  "xgb-ka.rows-read": () =>
    "The rows are published as they are but for their intervals, and the aggregator reads each site's before they are mixed.",
  "xgb-ka.tags-read": () =>
    "The sums have no noise; by tags the aggregator learns how many of a site's rows are alike, and any one site can tell it which.",
  "xgb-ka.tests-trusted": () =>
    "Sites check that the released set was tested; that a test was passed rests on the aggregator's word.",
  "xgb-ka.variant": () =>
    "xgb-ka and greedy-hamdist are of `variant: paper`, K-anonymity is no proof of privacy; write that, or use dp-ka",
  "xgb-ka.without-noise": ({ method }) =>
    `${method} adds no noise anywhere, and K-anonymity bounds no epsilon; write \`none\`, or use dp-ka`,
  "xgb-ka.fewer-rows": ({ k }) =>
    `the sites' rows are not those that were tested: of some combinations of values they hold fewer than ${k} rows, though the tests found as many`,
  "xgb-ka.no-value": () =>
    "the sites' rows are not those that were tested: one holds a value that its feature has not",
};
