import type { SiteId, StageId } from "@consilium/core/ids";
import type { ReducedRows } from "@consilium/core/method/aggregatorSide";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { type RowsStage, rowBytes } from "@consilium/core/study/plan";
import type { OpenStudy } from "./openStudy.js";
import { collectUploads } from "./openUploads.js";
import type { RunContext } from "./runContext.js";
import { shuffleRows } from "./shuffle.js";

/** Rows of a stage that are there already; null where there are none. */
export function storedRows(
  study: Pick<OpenStudy, "id" | "document" | "files"> & { readonly context: Pick<RunContext, "records"> },
  { id, columns }: RowsStage,
): ReducedRows | null {
  const stored = study.context.records.result(study.id, id);
  if (stored === null) return null;
  const levels = study.document.study.label === undefined ? 0 : 1;
  return { path: study.files.rowsPath(id), rows: Number(stored.value), columns, levels };
}

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
  const stage = study.stage(id, "rows");
  const stored = storedRows(study, stage);
  if (stored !== null) return stored;
  const { random } = study.context;
  const hasLabel = study.document.study.label !== undefined;
  const path = study.files.rowsPath(id);
  await collectUploads(study, { stage, broadcast, sites }, async (uploads) => {
    const shuffled = await shuffleRows(
      uploads.map(({ path }) => path),
      { rowBytes: rowBytes(stage.columns, hasLabel), target: path, random },
    );
    await study.files.keep(path);
    return { sha256: shuffled.sha256, value: String(shuffled.rows) };
  });
  return storedRows(study, stage)!;
}
