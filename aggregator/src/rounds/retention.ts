import type { StudyId } from "@consilium/core/ids";
import type { RetentionView } from "@consilium/core/operator/views";
import type { Logger } from "@consilium/runtime/log";
import {
  declaredResumableFor,
  type RetentionSettings,
  resumableForMs,
} from "@consilium/runtime/retention/settings";
import type { Store } from "@consilium/runtime/store/store";
import type { StudyRecords } from "./records.js";
import type { Studies } from "./studies.js";

/** What is due to be removed, of one study. */
export interface DueRemoval {
  readonly study: StudyId;
  readonly what: "working data" | "study records";
}

/** Of a study whose release, certificate, participants, steps and events stay. */
const detailTables = ["posts", "uploads", "broadcasts", "results", "sum_events"] as const;

interface RetentionContext {
  readonly store: Store;
  readonly records: StudyRecords;
  readonly studies: Pick<Studies, "cancel">;
  readonly settings: RetentionSettings;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Removes what is no longer needed of old studies. A failed study is cancelled as an operator would: its sites are told and
 * remove their part, too. Of released and cancelled studies the details of the exchange go. Everything is decided by what is
 * stored, so a process that is killed meanwhile continues at its next start.
 */
export class Retention {
  readonly #context: RetentionContext;

  constructor(context: RetentionContext) {
    this.#context = context;
  }

  /** Oldest first. */
  due(): DueRemoval[] {
    return [...this.#expiredFailures(), ...this.#oldDetails()];
  }

  /** The periods, and what is due. */
  view(): RetentionView {
    const { failedStudies, studyRecords } = this.#context.settings;
    return { failedStudiesMs: failedStudies ?? null, studyRecordsMs: studyRecords ?? null, due: this.due() };
  }

  /** @returns what was removed */
  run(): DueRemoval[] {
    const due = this.due();
    for (const removal of due) {
      try {
        this.#remove(removal);
      } catch (thrown) {
        // For example a full disk, or an operator who resumed it at this moment: it is looked at again in an hour.
        this.#context.log.error("old data could not be removed", { study: removal.study }, thrown);
      }
    }
    return due;
  }

  #expiredFailures(): DueRemoval[] {
    const { store, settings, now } = this.#context;
    return store
      .all("SELECT id, ended_at AS endedAt, text FROM studies WHERE status = 'failed' ORDER BY ended_at, id")
      .flatMap(({ id, endedAt, text }) => {
        const keptMs = resumableForMs(settings, declaredResumableFor(String(text)));
        if (keptMs === null || Number(endedAt) + keptMs > now()) return [];
        return [{ study: id as StudyId, what: "working data" as const }];
      });
  }

  #oldDetails(): DueRemoval[] {
    const { store, settings, now } = this.#context;
    if (settings.studyRecords === undefined) return [];
    const some = detailTables.map((table) => `EXISTS (SELECT 1 FROM ${table} d WHERE d.study = studies.id)`);
    return store
      .all(
        `SELECT id FROM studies WHERE status IN ('released', 'cancelled') AND ended_at <= ?
         AND (${some.join(" OR ")}) ORDER BY ended_at, id`,
        now() - settings.studyRecords,
      )
      .map(({ id }) => ({ study: id as StudyId, what: "study records" }));
  }

  #remove({ study, what }: DueRemoval): void {
    const { store, records, studies, now } = this.#context;
    records.transaction(() => {
      if (what === "working data") {
        records.event(now(), "removed working data", { study });
        studies.cancel(study);
        return;
      }
      for (const table of detailTables) store.run(`DELETE FROM ${table} WHERE study = ?`, study);
      records.event(now(), "removed study records", { study });
    });
  }
}
