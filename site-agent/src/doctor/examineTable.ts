import { dirname, join } from "node:path";
import type { TableExamination } from "@consilium/core/hospital/tableExamination";
import { nameOf } from "@consilium/core/said";
import { checkedConfig, loadConfig } from "@consilium/runtime/config";
import { osRandom } from "@consilium/runtime/random";
import { siteConfigSchema } from "../config.js";
import { shown } from "../data/place.js";
import { resolveTableConfig, type TableConfig, tableConfigSchema } from "../data/tableConfig.js";
import { TableSources } from "../data/tableSources.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { fault } from "../tables/fault.js";
import { tableCheck } from "./tableCheck.js";

/** One table for `consilium site table`: what is there, and what its entry should say. Read, and shown without a value. */

/** @param which - the name of a table of the configuration, or an entry that is not in it yet, as JSON */
export async function examineTable(
  stateFolder: string,
  which: { readonly name: string } | { readonly entry: string },
): Promise<TableExamination> {
  const config = await configOf(stateFolder, which);
  return tableCheck(config, { policy: "entry" in which ? await policyFault(stateFolder, config) : null });
}

/** What the policy's populations say of the site's tables with this one: tables of two units have no common budget. */
async function policyFault(stateFolder: string, added: TableConfig): Promise<string | null> {
  const config = await loadConfig(join(stateFolder, "config.yaml"), siteConfigSchema).catch(() => null);
  // The doctor names what is wrong with it.
  if (config === null) return null;
  const others = config.tables.filter(({ name }) => name !== added.name);
  const all = [...others.map((table) => resolveTableConfig(table, stateFolder)), added];
  // Hashes of sources are compared with one another alone, and kept nowhere.
  const known = new TableSources(all, osRandom.bytes(32));
  await known.resolve();
  const read = new PolicyFile(join(stateFolder, policyFileName), { tables: known }).read();
  return read.ok ? null : read.error.message;
}

/** @throws ConsiliumError TABLE_UNKNOWN, CONFIG_INVALID */
export async function configOf(
  stateFolder: string,
  which: { readonly name: string } | { readonly entry: string },
): Promise<TableConfig> {
  const path = join(stateFolder, "config.yaml");
  if ("entry" in which)
    return resolveTableConfig(
      checkedConfig(JSON.parse(which.entry), "the table's entry", tableConfigSchema),
      dirname(path),
    );
  const { tables } = await loadConfig(path, siteConfigSchema);
  const found = tables.find(({ name }) => name === which.name);
  if (found !== undefined) return resolveTableConfig(found, dirname(path));
  const remedy = {
    code: "table.add-one",
    params: { tables: tables.map(({ name }) => nameOf(name)) },
  } as const;
  throw fault("TABLE_UNKNOWN", "table.not-in-config", { table: shown(which.name) }, { remedy });
}
