import { listed } from "@consilium/core/method/listedMethods";

/**
 * The methods whose privacy is proven: one line each, in the order in which they are shown. Of an analysis the first is the usual
 * one. Whatever a program knows of methods follows from this list and that of `methods-paper/registry.ts`. It loads none of
 * them: a site loads a method for a study that asks for it, other programs load all (`all.ts`).
 */
export const soundRegistry = [
  listed("describe", "describe", () => import("./describe/method.js")),
  listed("describe", "counts", () => import("./counts/method.js")),
  listed("regression", "regression", () => import("./regression/method.js")),
  listed("survival", "survival", () => import("./survival/method.js")),
  listed("synthetic-table", "synthetic-table", () => import("./synthetic-table/method.js")),
  listed("pca", "dp-pca", () => import("./dp-pca/method.js")),
  listed("correlation-tree", "dp-pcc", () => import("./dp-pcc/method.js")),
  listed("correlation-tree", "dp-pcc-s", () => import("./dp-pcc-s/method.js")),
  listed("boosted-trees", "dp-histboost", () => import("./dp-histboost/method.js")),
  listed("boosted-trees", "dp-additive", () => import("./dp-additive/method.js")),
  listed("feature-selection", "felp-a", () => import("./felp-a/method.js")),
  listed("feature-selection", "felp-s", () => import("./felp-s/method.js")),
  listed("k-anonymous-selection", "dp-ka", () => import("./dp-ka/method.js")),
] as const;
