import type { SiteId, StageId } from "@consilium/core/ids";
import type { ReducedRows } from "@consilium/core/method/aggregatorSide";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { rowBytes } from "@consilium/core/study/plan";
import type { OpenStudy } from "./openStudy.js";
import { collectUploads } from "./openUploads.js";
import { shuffleRows } from "./shuffle.js";

/**
 * Collects reduced rows and shuffles them.
 * @param sites - the sites of the last sum
 */
export async function collectRows(
  study: OpenStudy,
  id: StageId,
  broadcast: Broadcast,
  sites: readonly SiteId[],
): Promise<ReducedRows> {
  const { records, random } = study.context;
  const stage = study.stage(id, "rows");
  const hasLabel = study.document.study.label !== undefined;
  const path = study.files.rowsPath(id);
  const stored = records.result(study.id, id);
  if (stored !== null)
    return { path, rows: Number(stored.value), columns: stage.columns, levels: hasLabel ? 1 : 0 };
  const rows = await collectUploads(study, { stage, broadcast, sites }, async (uploads) => {
    const shuffled = await shuffleRows(
      uploads.map(({ path }) => path),
      { rowBytes: rowBytes(stage.columns, hasLabel), target: path, random },
    );
    await study.files.keep(path);
    return { sha256: shuffled.sha256, value: String(shuffled.rows) };
  });
  return { path, rows: Number(rows), columns: stage.columns, levels: hasLabel ? 1 : 0 };
}
