import type { StudyId } from "@consilium/core/ids";
import { lines } from "@consilium/core/said";
import type { Logger } from "@consilium/runtime/log";
import {
  declaredResumableFor,
  resumableForMs,
  retentionEveryMs,
  retentionSettings,
} from "@consilium/runtime/retention/settings";
import type { Store } from "@consilium/runtime/store/store";
import type { StudySays } from "@consilium/words/says/studies";
import { AuditLog } from "../socket/auditLog.js";
import type { Participant } from "../studies/participant.js";
import type { SiteRecords } from "../studies/records.js";

interface RetentionContext {
  readonly store: Store;
  readonly records: SiteRecords;
  readonly participant: Pick<Participant, "handle" | "idle">;
  readonly now: () => number;
  readonly log: Logger;
}

const line = lines<StudySays>();

/** Of the audit log. */
const actor = "retention";

const detailTables = ["answers", "broadcasts", "sums", "sum_posts"] as const;

/**
 * Removes what this site no longer needs of old studies. What a failed study keeps to be resumed goes as if the operator had
 * cancelled it: files first, then keys and answers in one transaction. The ledger, the egress log, the audit log and people's
 * decisions stay. Everything is decided by what is stored, so an agent that is killed meanwhile continues at its next start.
 */
export async function removeOldData(raw: unknown, context: RetentionContext): Promise<void> {
  const { store, records, participant, now } = context;
  const settings = retentionSettings(raw);
  const auditLog = new AuditLog(store, now);

  // A failed study has the status `waiting`; its last message is when it was needed last.
  const failed = store.all(
    `SELECT id, text, local_code AS localCode, max(first_seen_at, coalesce(
       (SELECT max(coalesce(e.last_at, e.at)) FROM egress e WHERE e.study = studies.id), 0)) AS lastAt
     FROM studies WHERE exchange_key IS NOT NULL AND status IN ('waiting', 'waiting for approval') ORDER BY lastAt, id`,
  );
  for (const { id, text, lastAt } of failed) {
    const keptMs = resumableForMs(settings, declaredResumableFor(String(text)));
    if (keptMs === null || Number(lastAt) + keptMs > now()) continue;
    const reason = line("study.removed", { ms: keptMs });
    const study = id as StudyId;
    store.transaction(() => {
      if (records.study(study)?.localReason === reason) return;
      records.setLocalReason(study, { code: "STUDY_CANCELLED", text: reason });
      auditLog.record({ actor, kind: "removed working data", study });
    });
    participant.handle({ kind: "studyEnded", studyId: study, outcome: "cancelled", code: "STUDY_CANCELLED" });
  }
  await participant.idle();

  if (settings.studyRecords === undefined) return;
  const some = detailTables.map((table) => `EXISTS (SELECT 1 FROM ${table} d WHERE d.study = studies.id)`);
  const old = store.all(
    `SELECT id FROM studies WHERE ended_at <= ? AND status IN ('released', 'cancelled')
     AND (text <> '' OR ${some.join(" OR ")}) ORDER BY ended_at, id`,
    now() - settings.studyRecords,
  );
  for (const { id } of old) {
    store.transaction(() => {
      for (const table of detailTables) store.run(`DELETE FROM ${table} WHERE study = ?`, id as string);
      store.run(
        "UPDATE studies SET text = '', roster = NULL, table_found = NULL, zeros = NULL WHERE id = ?",
        id as string,
      );
      auditLog.record({ actor, kind: "removed study records", study: id as string });
    });
  }
}

/** At the start and every hour. @returns what stops it */
export function keepRetention(raw: unknown, context: RetentionContext): () => void {
  const run = () =>
    removeOldData(raw, context).catch((thrown: unknown) =>
      // For example a full disk: it is tried again in an hour.
      context.log.error("old data could not be removed", {}, thrown),
    );
  retentionSettings(raw);
  void run();
  const timer = setInterval(() => void run(), retentionEveryMs);
  return () => clearInterval(timer);
}
