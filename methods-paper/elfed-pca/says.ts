import type { Name, None } from "@consilium/words/said";

/** Principal components as published: what is sent, who learns it, and its noise. */
export interface ElfedPcaSays {
  "elfed-pca.means": { columns: number };
  "elfed-pca.covariance": { columns: number };
  "elfed-pca.subspace": { dimensions: number };
  "elfed-pca.rows": { numbers: number; label: number };
  "elfed-pca.learns-means": None;
  "elfed-pca.learns-covariance": { noise: number };
  "elfed-pca.learns-subspaces": None;
  "elfed-pca.noise-shared": None;
  "elfed-pca.noise-own": None;
  "elfed-pca.noise-rows": None;
  "elfed-pca.ranges": { column: Name };
  "elfed-pca.large-epsilon": None;
  "elfed-pca.dealer": None;
  "elfed-pca.stay": None;
  "elfed-pca.shared-noise": None;
  "elfed-pca.small-noise": None;
  "elfed-pca.centred": None;
  "elfed-pca.exact-mean": None;
  "elfed-pca.rows-exact": None;
  "elfed-pca.noise-proof": None;
  "elfed-pca.rows-number": None;
  "elfed-pca.rows-below": None;
  "elfed-pca.rows-range": None;
  "elfed-pca.mean-length": { entries: number; expected: number };
  "elfed-pca.mean-outside": { column: Name };
  "elfed-pca.two-rows": None;
  "elfed-pca.rows-needed": { rows: number };
  "elfed-pca.loadings": { entries: number; expected: number };
  "elfed-pca.not-orthonormal": { first: number; second: number };
}
