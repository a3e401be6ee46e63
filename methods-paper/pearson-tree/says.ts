import type { Name, None } from "@consilium/words/said";

/** Correlation trees as published: what is sent, who learns it, and its noise. */
export interface PearsonTreeSays {
  "pearson-tree.node": { label: Name; attributes: number };
  "pearson-tree.level": { level: number; label: Name; attributes: number };
  "pearson-tree.learns-splits": None;
  "pearson-tree.learns-leaves": { noise: number };
  "pearson-tree.noise": None;
}
