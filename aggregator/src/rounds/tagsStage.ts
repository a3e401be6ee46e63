import { faults } from "@consilium/core/fault";
import type { SiteId, StageId } from "@consilium/core/ids";
import { type ClassSizes, mergeTagCounts } from "@consilium/core/learning/tags";
import { nameOf } from "@consilium/core/said";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { tagRecordBytes } from "@consilium/core/study/plan";
import { wholeRecords } from "@consilium/runtime/store/wholeRecords";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { OpenStudy } from "./openStudy.js";
import { collectUploads } from "./openUploads.js";
import type { RunContext } from "./runContext.js";

const fault = faults<RoundSays>();

/** Classes of a stage that are there already; null where there are none. */
export function storedTags(
  study: Pick<OpenStudy, "id"> & { readonly context: Pick<RunContext, "records"> },
  id: StageId,
): ClassSizes | null {
  const stored = study.context.records.result(study.id, id)?.value;
  return stored ? (JSON.parse(stored) as ClassSizes) : null;
}

/**
 * Collects tags with counts, and adds the counts up by tag.
 * @param sites - the sites of the last sum
 */
export async function collectTags(
  study: OpenStudy,
  id: StageId,
  broadcast: Broadcast,
  sites: readonly SiteId[],
): Promise<ClassSizes> {
  const stage = study.stage(id, "tags");
  const stored = storedTags(study, id);
  if (stored !== null) return stored;
  const { maxRowsPerSite } = study.document.study.participation;
  const value = await collectUploads(study, { stage, broadcast, sites }, async (uploads) => {
    try {
      const sizes = await mergeTagCounts(
        uploads.map(({ path }) => tagRecords(path)),
        maxRowsPerSite,
      );
      return { value: JSON.stringify(sizes) };
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      const params = { study: study.id, stage: id, why: nameOf(thrown.message) };
      throw fault("SUM_IMPLAUSIBLE", "round.tags-implausible", params, { cause: thrown });
    }
  });
  return JSON.parse(value) as ClassSizes;
}

async function* tagRecords(path: string): AsyncGenerator<Uint8Array> {
  for await (const bytes of wholeRecords(path, tagRecordBytes)) {
    for (let at = 0; at < bytes.length; at += tagRecordBytes) yield bytes.subarray(at, at + tagRecordBytes);
  }
}
