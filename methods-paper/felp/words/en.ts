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
};
