import { assertNever } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import type { SiteAnalysis } from "./analysis.js";
import { boostedTrees } from "./boostedTrees.js";
import { correlationTree } from "./correlationTree.js";
import { dpPca } from "./dpPca.js";
import { featureSelection } from "./featureSelection.js";
import { kAnonymous } from "./kAnonymous.js";
import { pca } from "./pca.js";

/** The analysis of a study. A further one adds its line here. */
export function analysisOf(study: Study): SiteAnalysis {
  switch (study.analysis) {
    case "pca":
      return study.variant === "sound" ? dpPca : pca;
    case "correlation-tree":
      return correlationTree;
    case "boosted-trees":
      return boostedTrees[study.method];
    case "feature-selection":
      return featureSelection;
    case "k-anonymous-selection":
      return kAnonymous;
    default:
      return assertNever(study);
  }
}
