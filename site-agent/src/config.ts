import { z } from "zod";
import { agentShape } from "./agentConfig.js";
import { checkEngines, tablesShape, withClusters } from "./data/tablesConfig.js";

/** The hospital's own configuration, `config.yaml` in the agent's state folder. */
export const siteConfigSchema = z
  .strictObject({ ...agentShape, ...tablesShape })
  .superRefine(checkEngines)
  .transform(withClusters);

export type SiteConfig = z.output<typeof siteConfigSchema>;
