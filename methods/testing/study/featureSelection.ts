import { unwrap } from "@consilium/core/result";
import { asFeatureSelection, type FeatureSelectionStudy } from "../families.js";
import { parseStudy } from "../studies.js";

/** Studies of feature-selection for tests: two numbers and a category unless said otherwise. */
export interface TestStudy {
  readonly method?: string;
  readonly variant?: string;
  readonly features?: readonly Record<string, unknown>[];
  readonly levels?: readonly string[];
  readonly parameters?: Record<string, unknown>;
  readonly privacy?: "none" | { readonly epsilon: number; readonly delta: number };
  readonly participation?: Record<string, unknown>;
  readonly patient?: Record<string, unknown>;
}

export const numeric = (name: string, min = 0, max = 1) => ({ name, type: "numeric", min, max });
export const categorical = (name: string, levels: readonly string[]) => ({
  name,
  type: "categorical",
  levels,
});

export function rawFeatureSelection(options: TestStudy): Record<string, unknown> {
  return {
    name: "selection",
    table: "t",
    analysis: "feature-selection",
    features: [numeric("a"), numeric("b", -2, 2), categorical("c", ["x", "y", "z"])],
    label: { name: "class", levels: options.levels ?? ["no", "yes"] },
    privacy: options.privacy ?? "none",
    ...(options.method === undefined ? {} : { method: options.method }),
    ...(options.variant === undefined ? {} : { variant: options.variant }),
    ...(options.features === undefined ? {} : { features: options.features }),
    ...(options.parameters === undefined ? {} : { parameters: options.parameters }),
    ...(options.patient === undefined ? {} : { patient: options.patient }),
    participation: { minimumSites: 3, maxRowsPerSite: 200, ...options.participation },
  };
}

export function featureSelectionStudy(options: TestStudy): FeatureSelectionStudy {
  return asFeatureSelection(unwrap(parseStudy(rawFeatureSelection(options))));
}
