import type { Sha256, StudyId } from "@consilium/core/ids";
import { nameOf } from "@consilium/core/said";
import { fault } from "../tables/fault.js";

/**
 * The table that a study's approval is of.
 * @throws ConsiliumError TABLE_CHANGED for an approval of an earlier version, whose content hash cannot be checked: the
 *   store drops those (site-agent/src/store/schema.ts)
 */
export function approvalOf({
  id,
  contentHash,
  rows,
}: {
  readonly id: StudyId;
  readonly contentHash: Sha256 | null;
  readonly rows: number | null;
}): { readonly contentHash: Sha256; readonly rows: number } {
  if (contentHash !== null && rows !== null) return { contentHash, rows };
  const remedy = { code: "table.start-again", params: {} } as const;
  throw fault("TABLE_CHANGED", "table.older-hash", { study: nameOf(id) }, { remedy });
}
