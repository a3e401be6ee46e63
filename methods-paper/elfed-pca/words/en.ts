import type { Words } from "@consilium/words/said";
import type { ElfedPcaSays } from "../says.js";

export const en: Words<ElfedPcaSays> = {
  "elfed-pca.means": ({ columns }) =>
    `the sum of each of the ${columns} columns and the number of rows, added up over all sites`,
  "elfed-pca.covariance": ({ columns }) =>
    `the ${columns} × ${columns} covariance of centred rows of length 1, added up over all sites`,
  "elfed-pca.subspace": ({ dimensions }) =>
    `the leading ${dimensions}-dimensional part of the site's own covariance, added up over all sites`,
  "elfed-pca.rows": ({ numbers, label }) =>
    `every row of the table, centred, scaled to length 1 and reduced to ${numbers} ${numbers === 1 ? "number" : "numbers"}${label === 0 ? "" : ", with its label"}`,
  "elfed-pca.learns-means": () =>
    "the aggregator and every site: the exact mean and number of rows over all sites",
  "elfed-pca.learns-covariance": ({ noise }) =>
    `the aggregator: the sum over all sites${noise === 0 ? "" : " with the shared noise in it"}`,
  "elfed-pca.learns-subspaces": () => "the aggregator: the sum over all sites of their partial subspaces",
  "elfed-pca.noise-shared": () => "one Gaussian matrix from a seed that all sites share",
  "elfed-pca.noise-own": () => "each site's own Gaussian noise at full scale",
  "elfed-pca.noise-rows": () => "none: reduced rows are published as they are",
};
