import type { Method } from "@consilium/core/method/method";
import {
  planRegression,
  type RegressionStudy,
  regressionIssues,
  regressionSection,
  withFamilyDefaults,
} from "./study.js";

/** Linear and logistic regression with a proof of privacy: docs/methods/regression.md. */
export const regressionMethod: Method<RegressionStudy> = {
  sections: [regressionSection],
  weighsPatients: true,
  withDefaults: withFamilyDefaults,
  issues: regressionIssues,
  plan: planRegression,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
};
