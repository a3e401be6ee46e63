import type { None } from "@consilium/words/said";

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
}
