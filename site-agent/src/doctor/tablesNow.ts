import { dirname } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import type { DoctorFacts } from "@consilium/core/hospital/doctorFacts";
import type { Study } from "@consilium/core/study/study";
import { parseConfig } from "@consilium/runtime/config";
import { siteConfigSchema } from "../config.js";
import { resolveTableConfig, type TableConfig } from "../data/tableConfig.js";
import type { TableMemory } from "../data/tables.js";
import { configuredEngines } from "../engines/configuredEngines.js";
import type { EnginesConfig } from "../engines/engineConfig.js";
import { strangeTables, tableFacts } from "./tables.js";

/** The tables that a configuration names, held against these studies: in the process that reads tables. */
export async function tablesNow(
  config: ConfigFile,
  studies: readonly Study[],
  memoryOf?: (table: string) => TableMemory,
): Promise<Pick<DoctorFacts, "configuration" | "tables" | "strangers">> {
  const configured = configuredBy(config);
  const engines = await configuredEngines(configured.engines);
  return {
    configuration: { path: config.path, fault: configured.fault },
    tables: await tableFacts(configured.tables, studies, { engines, memoryOf }),
    strangers: strangeTables(configured.tables, studies),
  };
}

interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

function configuredBy({ path, text }: ConfigFile): {
  readonly tables: readonly TableConfig[];
  readonly engines: EnginesConfig;
  readonly fault: DoctorFacts["configuration"]["fault"];
} {
  try {
    const { tables, engines } = parseConfig(text, path, siteConfigSchema);
    return { engines, tables: tables.map((table) => resolveTableConfig(table, dirname(path))), fault: null };
  } catch (thrown) {
    const { message, remedy } = toConsiliumError(thrown);
    return { tables: [], engines: {}, fault: { message, remedy } };
  }
}
