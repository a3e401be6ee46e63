import type { Method } from "@consilium/core/method/method";
import { withMissingCounted } from "../shared/counts/missing.js";
import { type DescribeStudy, describeIssues, describeSection, planDescribe } from "./study.js";

/** A table one, histograms and two-way tables: docs/methods/describe.md#describe. */
export const method: Method<DescribeStudy> = {
  sections: [describeSection],
  weighsPatients: true,
  countsMissing: true,
  withNewDefaults: withMissingCounted,
  issues: describeIssues,
  plan: planDescribe,
  site: async () => (await import("./site.js")).site,
  aggregator: async () => (await import("./aggregator.js")).aggregator,
  precision: async () => (await import("./precision.js")).precision,
};
