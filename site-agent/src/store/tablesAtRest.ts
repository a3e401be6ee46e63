import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig } from "@consilium/runtime/config";
import { siteConfigSchema } from "../config.js";
import { resolveTableConfig } from "../data/tableConfig.js";
import { TableSources, unresolvedTables } from "../data/tableSources.js";
import { readAtRest } from "../ledger/storeAtRest.js";
import { SiteRecords } from "../studies/records.js";
import type { KnownTables } from "../tables/knownTables.js";
import { storedSourceKey } from "./sourceKey.js";

/**
 * What is known of a site's tables where no agent runs: a backup may have no configuration, and no table then.
 * @throws ConsiliumError STATE_MISSING, CONFIG_INVALID
 */
export async function tablesAtRest(stateFolder: string): Promise<KnownTables> {
  const configPath = join(stateFolder, "config.yaml");
  if (!existsSync(configPath)) return unresolvedTables([]);
  const { tables } = await loadConfig(configPath, siteConfigSchema);
  const key = readAtRest(stateFolder, (store) => storedSourceKey(new SiteRecords(store)));
  if (key === null) return unresolvedTables(tables);
  const sources = new TableSources(
    tables.map((table) => resolveTableConfig(table, dirname(configPath))),
    key,
  );
  await sources.resolve();
  return sources;
}
