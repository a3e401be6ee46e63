import type { Method } from "@consilium/core/method/method";
import { withMissingCounted } from "../shared/counts/missing.js";
import { withSyntheticTableDefaults } from "./defaults.js";
import {
  planSyntheticTable,
  type SyntheticTableStudy,
  syntheticTableIssues,
  syntheticTableSection,
} from "./study.js";

/** Rows to publish: docs/methods/synthetic-table.md. */
export const method: Method<SyntheticTableStudy> = {
  sections: [syntheticTableSection],
  weighsPatients: true,
  countsMissing: true,
  withNewDefaults: withMissingCounted,
  withNoiseDefaults: withSyntheticTableDefaults,
  issues: syntheticTableIssues,
  plan: planSyntheticTable,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};
