import type { Method } from "@consilium/core/method/method";
import {
  planRegression,
  type RegressionStudy,
  regressionIssues,
  regressionSection,
  withFamilyDefaults,
  withNegativesRefused,
} from "./study.js";

/** Linear, logistic, Poisson and Cox regression with a proof of privacy: docs/methods/regression.md. */
export const method: Method<RegressionStudy> = {
  sections: [regressionSection],
  weighsPatients: true,
  withDefaults: withFamilyDefaults,
  withNewDefaults: withNegativesRefused,
  issues: regressionIssues,
  plan: planRegression,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};
