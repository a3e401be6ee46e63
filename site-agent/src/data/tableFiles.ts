import { findFiles } from "./files.js";
import type { TableConfig } from "./tableConfig.js";

/**
 * All files of a table of files, an OMOP folder's included.
 * @throws ConsiliumError TABLE_UNREADABLE, CONFIG_INVALID
 */
export async function tableFiles(config: TableConfig): Promise<readonly string[]> {
  const folder = config.omop?.files;
  if (folder === undefined) return (await findFiles(config)).files;
  const { cdmFiles } = await import("./omopFiles.js");
  return [...(await cdmFiles(folder, config.name)).values()].flatMap(({ files }) => files);
}
