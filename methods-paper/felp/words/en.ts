import type { Words } from "@consilium/words/said";
import type { FelpSays } from "../says.js";

export const en: Words<FelpSays> = {
  "felp.sent": ({ features, subsamples }) =>
    `the site's number of rows, and its weights of the ${features} features times that number${subsamples === 0 ? "" : `, the mean over ${subsamples} subsamples`}, added up over all sites`,
  "felp.learns": ({ noisy }) =>
    `the aggregator, and every reader through what is computed from it: the exact number of rows over all sites and the ${noisy === 0 ? "exact" : "sites' noisy"} mean weights`,
  "felp.noise-own": () =>
    "each site's own noise, of density falling with its length, for its own number of rows",
  "felp.noise-aggregator": () =>
    "the sum is exact; the aggregator adds noise, of density falling with its length, before it releases weights",
  "felp.slow": ({ rows }) =>
    `every row is compared with every other: ${rows} rows at one site take hours; felp-a reads a table twice`,
  "felp.few-rows": ({ selected, of, needed }) =>
    `${selected} of ${of} features stand out of the published noise only with far more than ${needed} rows in all, whatever lambda is: raise epsilon, or use felp-a`,
  "felp.neighbours": () =>
    "When a record changes, so do the margins of all records whose nearest neighbour it was: the stated sensitivity of 2/(nλ) does not hold, by a factor that grows with n.",
  "felp.lengths": () => "Differences of records are taken to have length at most 1, which nothing enforces.",
  "felp.left-out": () =>
    "That a record is left out of a subsample is counted on average, but must hold for each draw.",
  "felp.exact-weights": () =>
    "The aggregator sees the sum of the sites' exact weights, and the exact number of rows.",
  "felp.without-noise": ({ method }) =>
    `${method} adds no noise: write \`privacy: none\`, or use felp-a, whose privacy is proven`,
};
