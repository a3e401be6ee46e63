import type { StageId } from "../ids.js";
import type { Study } from "./study.js";

/**
 * The stage in which a study's rows are counted, first of all and outside of its method: docs/METHODS.md#flow. A study has it where its text
 * says `flow: true`.
 */
export const flowStageId = "flow" as StageId;

/** Features with bounds, in the order of their cells. */
export const boundedFeatures = ({ features }: Pick<Study, "features">) =>
  features.filter((feature) => feature.type === "numeric");

/** Causes for which a flow counts rows as left out, in their order. */
export const flowCauses = ["where", "label", "level", "type", "missing"] as const;
