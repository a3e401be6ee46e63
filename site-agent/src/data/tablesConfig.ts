import { z } from "zod";
import { type EnginesConfig, enginesConfig, noEngine } from "../engines/engineConfig.js";
import { placeOnSpark, type TableConfig, tableConfigSchema } from "./tableConfig.js";

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

/** What `config.yaml` has of tables. */
export const tablesShape = {
  /** The tables that studies may name. */
  tables: z.preprocess(namedEntries, z.array(tableConfigSchema)).default([]),
  /** What computes the stages over tables that name one of these, and over large ones. */
  engines: enginesConfig,
};

interface TablesOf {
  readonly tables: readonly TableConfig[];
  readonly engines: EnginesConfig;
}

/** Says of each table what is wrong with the engine that it names. */
export function checkEngines({ tables, engines }: TablesOf, context: z.RefinementCtx): void {
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
}

/** With the cluster of each table that is on one. */
export const withClusters = <C extends TablesOf>(
  config: C,
): Omit<C, "tables"> & { tables: TableConfig[] } => ({
  ...config,
  tables: config.tables.map((table) => onCluster(table, config.engines)),
});

/** The table with its engine's cluster, where it is on one. */
function onCluster(table: TableConfig, engines: EnginesConfig): TableConfig {
  const engine = engines[table.engine ?? noEngine];
  return engine?.kind === "spark" ? { ...table, cluster: engine } : table;
}

/** The same of a whole `config.yaml`, whose other keys the agent checks. */
export const tablesConfigSchema = z.object(tablesShape).superRefine(checkEngines).transform(withClusters);
