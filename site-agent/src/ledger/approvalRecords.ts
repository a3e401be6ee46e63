import { ConsiliumError } from "@consilium/core/errors";
import type { ApprovalRecordsView } from "@consilium/core/hospital/approvalRecords";
import type { Store } from "@consilium/runtime/store/store";
import type { SignedEntry } from "./entry.js";

/** Of what an entry is the record's: a decision by a person, or the reservation of a study that was joined without one. */
function decisionOf({ entry }: SignedEntry) {
  const isDecision = entry.kind === "approved" || entry.kind === "refused" || entry.kind === "reserve";
  if (!isDecision || entry.record === undefined) return [];
  return [{ sequence: entry.sequence, study: entry.study, record: entry.record }];
}

/**
 * What is kept of the decisions on a study, each with the ledger's entry that holds it to its hash. Whether a text still has that
 * hash is for who reads it to say.
 * @param entries - of a ledger that was verified, with what was archived of it as far as that is there
 * @param given - the study's id, or the start of it
 * @throws ConsiliumError STUDY_UNKNOWN, USAGE for the start of several
 */
export function approvalRecords(
  store: Pick<Store, "all">,
  entries: readonly SignedEntry[],
  given: string,
): ApprovalRecordsView {
  const decisions = entries.flatMap(decisionOf);
  const study = studyOf(store, new Set(decisions.map((one) => one.study)), given);
  const own = decisions.filter((one) => one.study === study);
  const rows = store.all(
    "SELECT hash, record FROM approval_records WHERE study = ? ORDER BY rowid",
    study,
  ) as {
    hash: string;
    record: string;
  }[];
  const kept = new Set(rows.map(({ hash }) => hash));
  const place = ({ sequence, record }: (typeof own)[number]) => ({ sequence, record });
  return {
    study,
    records: rows.map(({ hash, record }) => {
      const entry = own.find((one) => one.record === hash);
      return { text: record, entry: entry === undefined ? null : place(entry) };
    }),
    missing: own.filter(({ record }) => !kept.has(record)).map(place),
  };
}

/** Of the studies that are stored, and of those that the ledger says were decided on. */
function studyOf(store: Pick<Store, "all">, decided: ReadonlySet<string>, given: string): string {
  const stored = store.all("SELECT id FROM studies UNION SELECT study FROM approval_records") as {
    id: string;
  }[];
  const known = [...new Set([...stored.map(({ id }) => id), ...decided])];
  const fitting = known.includes(given) ? [given] : known.filter((id) => id.startsWith(given));
  if (fitting.length === 1) return fitting[0]!;
  if (fitting.length === 0)
    throw new ConsiliumError("STUDY_UNKNOWN", `no study ${given} has been offered to this hospital`, {
      remedy: "list the ones that were with `consilium site studies`",
    });
  throw new ConsiliumError("USAGE", `${given} is ambiguous: ${fitting.slice(0, 5).join(", ")}`, {
    remedy: "give more characters of the id",
  });
}
