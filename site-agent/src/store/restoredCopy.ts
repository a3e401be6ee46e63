import { rm } from "node:fs/promises";
import { join } from "node:path";
import { lines } from "@consilium/core/said";
import type { Logger } from "@consilium/runtime/log";
import { restoredFile } from "@consilium/runtime/stateFiles";
import { fsyncFolder } from "@consilium/runtime/store/durableFile";
import type { StudySays } from "@consilium/words/says/studies";
import type { Ledger } from "../ledger/ledger.js";
import type { SiteRecords } from "../studies/records.js";

const reason = lines<StudySays>()("study.restored", {});

/**
 * The state folder came from a backup, as `consilium restore` says by a file: every study that the copy takes
 * part in ends here, before anything is sent: its keys may have been used since. What was spent since is another matter,
 * which the ledger's anchors show.
 */
export async function leaveRestoredStudies(
  stateFolder: string,
  { records, ledger, now, log }: { records: SiteRecords; ledger: Ledger; now: () => number; log: Logger },
): Promise<void> {
  const path = join(stateFolder, restoredFile);
  const abandoned = records.transaction(() => {
    const studies = records.abandonAll(reason, now());
    for (const id of studies) ledger.release(id);
    return studies;
  });
  await rm(path);
  await fsyncFolder(stateFolder);
  log.warn("the state was restored from a backup", { studiesAbandoned: abandoned.length });
}
