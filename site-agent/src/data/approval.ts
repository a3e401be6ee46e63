import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, StudyId } from "@consilium/core/ids";

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
  throw new ConsiliumError("TABLE_CHANGED", `study ${id}: an earlier version hashed the approved table`, {
    remedy: "start the study again and approve it again",
  });
}
