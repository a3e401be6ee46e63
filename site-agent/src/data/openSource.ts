import type { Study } from "@consilium/core/study/study";
import { defaultReadLimits, type ReadLimits } from "./source.js";
import { sourceOf } from "./sources/places.js";
import { type Opened, openerOf } from "./sources/readers.js";
import type { TableConfig } from "./tableConfig.js";

export interface OpenedSource extends Opened {
  readonly config: TableConfig;
}

/**
 * Finds a table's files, or its query, and what reads them. Where the hospital has no table of a kind, the code that reads that kind
 * is not loaded.
 * @param study - whose feature plan an OMOP table is read by; null: nobody reads it yet
 * @throws ConsiliumError TABLE_UNREADABLE, TABLE_AWAY, CONFIG_INVALID, OMOP_PLAN_MISSING
 */
export async function openSource(
  config: TableConfig,
  study: Pick<Study, "omop"> | null = null,
  limits: ReadLimits = defaultReadLimits,
): Promise<OpenedSource> {
  const open = await openerOf(sourceOf(config).name);
  return { config, ...(await open(config, { study, limits })) };
}
