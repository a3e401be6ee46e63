import { join } from "node:path";
import { nameOf } from "@consilium/core/said";
import { loadConfig } from "@consilium/runtime/config";
import { z } from "zod";
import { siteConfigSchema } from "../config.js";
import { fault } from "../tables/fault.js";

/** What a file of tables may hold: these keys of config.yaml. */
const fileSchema = z.strictObject({
  tables: z.record(z.string(), z.unknown()),
  engines: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Checks a file whose tables are to take the place of those in config.yaml. No table is opened.
 * @returns the tables' names
 * @throws ConsiliumError CONFIG_INVALID that names the line
 */
export async function checkedTables(stateFolder: string, file: string): Promise<readonly string[]> {
  await loadConfig(file, fileSchema);
  const present = await loadConfig(join(stateFolder, "config.yaml"), z.record(z.string(), z.unknown()));
  const merged = z.preprocess((given) => ({ ...present, ...Object(given) }), siteConfigSchema);
  const { tables } = await loadConfig(file, merged);
  if (tables.length > 0) return tables.map(({ name }) => name);
  const remedy = { code: "table.write-entry", params: {} } as const;
  throw fault("CONFIG_INVALID", "table.none-in", { file: nameOf(file) }, { remedy });
}
