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
  "elfed-pca.ranges": ({ column }) =>
    `columns have very different ranges and "${column}" will dominate; set parameters.scale: declared to map every column to [0, 1]`,
  "elfed-pca.large-epsilon": () => "the noise scale that the authors print is derived for epsilon at most 1",
  "elfed-pca.dealer": () =>
    "one site deals all masks: together with the aggregator it could read every site's sums, whatever tolerateColluding says",
  "elfed-pca.stay": () =>
    "all sites of the roster must stay until the end: masks dealt by one site tolerate no dropout",
  "elfed-pca.shared-noise": () =>
    "Every site knows the shared noise and can subtract it: against another site the covariance is exact.",
  "elfed-pca.small-noise": () =>
    "The noise is smaller than the sensitivity of the sum of per-site covariances requires.",
  "elfed-pca.centred": () =>
    "Rows are normalised after centring by the data's own mean, so one record changes every row.",
  "elfed-pca.exact-mean": () => "The mean and the number of rows are published exactly.",
  "elfed-pca.rows-exact": () => "The reduced rows are published as they are, without any noise of their own.",
  "elfed-pca.noise-proof": () =>
    "The noise scale is proven for replacing a record only for epsilon below 1, and here for add/remove alone.",
  "elfed-pca.rows-number": () => "the broadcast of the number of rows is not one number",
  "elfed-pca.rows-below": () =>
    "the broadcast of the stage moments: the number of rows over all sites is below this site's own",
  "elfed-pca.rows-range": () => "the broadcast of the stage moments: the number of rows is out of range",
  "elfed-pca.mean-length": ({ entries, expected }) =>
    `the broadcast of the stage moments: the mean has ${entries} entries instead of ${expected}`,
  "elfed-pca.mean-outside": ({ column }) =>
    `the broadcast of the stage moments: the mean of column "${column}" is outside its declared bounds`,
  "elfed-pca.two-rows": () => "scaling: site needs two rows at every site",
  "elfed-pca.rows-needed": ({ rows }) => `dpdis-pca needs ${rows} rows at every site`,
  "elfed-pca.loadings": ({ entries, expected }) =>
    `the loadings have ${entries} entries instead of ${expected}`,
  "elfed-pca.not-orthonormal": ({ first, second }) =>
    `the loadings of components ${first} and ${second} are not orthonormal`,
};
