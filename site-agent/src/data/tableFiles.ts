import type { TableFormat } from "./fileConfig.js";
import { findFiles } from "./files.js";
import type { TableConfig } from "./tableConfig.js";

/**
 * All files of one of the parts of a table that its source lists, an OMOP folder's included.
 * @throws ConsiliumError TABLE_UNREADABLE, CONFIG_INVALID
 */
export async function tableFiles(
  part: TableConfig,
): Promise<{ readonly format: TableFormat | "omop"; readonly files: readonly string[] }> {
  const folder = part.omop?.files;
  if (folder === undefined) return findFiles(part);
  const { cdmFiles } = await import("./sources/omop/files.js");
  const files = [...(await cdmFiles(folder, part.name)).values()].flatMap((table) => table.files);
  return { format: "omop", files };
}
