import { dirname, relative, resolve } from "node:path";
import { nameOf, sentences } from "@consilium/core/said";
import { quoted } from "@consilium/core/text";
import type { AnySaid, Name } from "@consilium/words/said";
import type { SourceSays } from "@consilium/words/says/sources";
import type { TableConfig } from "./tableConfig.js";

/** A file's path below the table's folder or pattern; null where the table is that one file, or a query. */
export function fileInTable(config: TableConfig, file: string): string | null {
  if (config.path === undefined) return null;
  const base = resolve(config.path);
  if (file === base) return null;
  const below = relative(base, file);
  return below.startsWith("..") ? relative(fixedPart(base), file) : below;
}

const said = sentences<SourceSays>();

/** A name for a message, its characters escaped as `quoted` does. */
export const shown = (name: string): Name => nameOf(quoted(name).slice(1, -1));

/** A table, for messages. */
export const tablePlace = (name: string): AnySaid => said("place.table", { table: shown(name) });

/** The table, and where it has several files the file, for messages. */
export function placeOf(config: TableConfig, file: string): AnySaid {
  const below = fileInTable(config, file);
  if (below === null) return tablePlace(config.name);
  return said("place.file", { table: shown(config.name), file: shown(below) });
}

/** The folder above a pattern's first `*` or `?`. */
export function fixedPart(pattern: string): string {
  return dirname(`${pattern.slice(0, pattern.search(/[*?]/))}x`);
}
