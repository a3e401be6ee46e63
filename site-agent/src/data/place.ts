import { dirname, relative, resolve } from "node:path";
import { quoted } from "@consilium/core/text";
import type { TableConfig } from "./tableConfig.js";

/** A file's path below the table's folder or pattern; null where the table is that one file, or a query. */
export function fileInTable(config: TableConfig, file: string): string | null {
  if (config.path === undefined) return null;
  const base = resolve(config.path);
  if (file === base) return null;
  const below = relative(base, file);
  return below.startsWith("..") ? relative(fixedPart(base), file) : below;
}

/** The table, and where it has several files the file, for messages. */
export function placeOf(config: TableConfig, file: string): string {
  const table = `table ${quoted(config.name)}`;
  const below = fileInTable(config, file);
  return below === null ? table : `${table}, file ${quoted(below)}`;
}

/** The folder above a pattern's first `*` or `?`. */
export function fixedPart(pattern: string): string {
  return dirname(`${pattern.slice(0, pattern.search(/[*?]/))}x`);
}
