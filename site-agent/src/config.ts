import { z } from "zod";
import { agentShape } from "./agentConfig.js";
import { placeOnSpark, type TableConfig, tableConfigSchema } from "./data/tableConfig.js";
import { type EnginesConfig, enginesConfig, noEngine } from "./engines/engineConfig.js";

/** `tables:` is a map from a table's name to where it is. */
function namedEntries(raw: unknown, context: z.RefinementCtx): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw;
  return Object.entries(raw).map(([name, entry], at) => {
    if (entry?.name !== undefined && entry.name !== name)
      context.addIssue({
        code: "custom",
        path: [at, "name"],
        message: `the table's name is its key, ${name}`,
      });
    return { ...entry, name };
  });
}

/** The hospital's own configuration, `config.yaml` in the agent's state folder. */
export const siteConfigSchema = z
  .strictObject({
    ...agentShape,
    /** The tables that studies may name. */
    tables: z.preprocess(namedEntries, z.array(tableConfigSchema)).default([]),
    /** What computes the stages over tables that name one of these, and over large ones. */
    engines: enginesConfig,
  })
  .superRefine(({ tables, engines }, context) => {
    for (const { name, engine = noEngine, ...table } of tables) {
      const isOnSpark = placeOnSpark(table) !== null;
      const issue = (message: string) =>
        context.addIssue({ code: "custom", path: ["tables", name, "engine"], message });
      if (engine !== noEngine && !(engine in engines))
        issue(`no such entry under engines; there are: ${[...Object.keys(engines), noEngine].join(", ")}`);
      else if (isOnSpark && engines[engine]?.kind !== "spark")
        issue("missing: a table with `spark:` names the engine of kind spark whose cluster has it");
      else if (!isOnSpark && engines[engine]?.kind === "spark")
        issue("computes tables of its own cluster: write `spark:` in place of the table's other source");
    }
  })
  .transform((config) => ({
    ...config,
    tables: config.tables.map((table) => onCluster(table, config.engines)),
  }));

/** The table with its engine's cluster, where it is on one. */
function onCluster(table: TableConfig, engines: EnginesConfig): TableConfig {
  const engine = engines[table.engine ?? noEngine];
  return engine?.kind === "spark" ? { ...table, cluster: engine } : table;
}

export type SiteConfig = z.output<typeof siteConfigSchema>;
