import type { Id, Name, None } from "@consilium/words/said";

/** Correlation trees as published: what is sent, who learns it, and its noise. */
export interface PearsonTreeSays {
  "pearson-tree.node": { label: Name; attributes: number };
  "pearson-tree.level": { level: number; label: Name; attributes: number };
  "pearson-tree.learns-splits": None;
  "pearson-tree.learns-leaves": { noise: number };
  "pearson-tree.noise": None;
  "pearson-tree.many-sums": { nodes: number; depth: number };
  "pearson-tree.small-subsets": { subsets: number; rows: number; min: number };
  "pearson-tree.no-effect": None;
  "pearson-tree.any-drawn": { subsets: number; times: number };
  "pearson-tree.cuts": None;
  "pearson-tree.sensitivity": None;
  "pearson-tree.argmax": None;
  "pearson-tree.levels-again": None;
  "pearson-tree.one-class": None;
  "pearson-tree.removed": None;
  "pearson-tree.depth": { depth: number; attributes: number };
  "pearson-tree.long-stage": { numbers: number; max: number };
  "pearson-tree.many-nodes": { depth: number; attributes: number; nodes: number; max: number };
  "pearson-tree.large-table": { rows: number; features: number; max: number };
  "pearson-tree.tasks-category": { column: Name };
  "pearson-tree.tasks-map": { column: Name };
  "pearson-tree.tasks-alone": None;
  "pearson-tree.many-tasks": { column: Name; levels: number; max: number };
  "pearson-tree.tasks-partitions": None;
  "pearson-tree.node-after-last": { stage: Id };
  "pearson-tree.leaves-early": { stage: Id };
  "pearson-tree.split-after-last": { stage: Id };
  "pearson-tree.no-attribute": { stage: Id };
  "pearson-tree.cut-outside": { stage: Id; column: Name };
  "pearson-tree.split-below": None;
  "pearson-tree.asked-twice": None;
}
