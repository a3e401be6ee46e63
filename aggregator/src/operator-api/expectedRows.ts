import type { StudyId } from "@consilium/core/ids";
import { keysOf } from "@consilium/core/keysOf";
import type { KnownRowsView } from "@consilium/core/operator/consoleViews";
import { shownResultStep } from "../release/shownResult.js";
import type { StudyRecords } from "../rounds/records.js";

/** Of so many of the newest studies the text is read. */
const studiesRead = 50;

/**
 * How many rows a study's table may be expected to have: as the newest release that counted all of them says, else as the newest study
 * on it expected. A study about some of its rows says nothing of the others.
 * @param raw - the parsed YAML of a draft
 */
export function knownRowsOf(
  records: Pick<StudyRecords, "newest" | "result" | "participants">,
  raw: unknown,
): KnownRowsView | null {
  const { table, where, participation } = keysOf(raw);
  if (typeof table !== "string" || keysOf(participation).expectedRows !== undefined) return null;
  let expected: KnownRowsView | null = null;
  for (const { id, text, status } of records.newest(studiesRead)) {
    const study = keysOf(JSON.parse(text));
    if (study.table !== table || study.where !== where) continue;
    const sites = records.participants(id).filter(({ onRoster }) => onRoster).length;
    const counted = status === "released" ? countedIn(records, id) : null;
    if (counted !== null) return { rows: counted, study: id, from: "released", sites };
    const { expectedRows } = keysOf(study.participation);
    if (expected === null && typeof expectedRows === "number")
      expected = { rows: expectedRows, study: id, from: "expected", sites };
  }
  return expected;
}

/** Rounded to two digits: the count is noisy, and tables grow. */
function countedIn(records: Pick<StudyRecords, "result">, id: StudyId): number | null {
  const value = records.result(id, shownResultStep)?.value;
  const counted = value == null ? undefined : keysOf(JSON.parse(value)).records;
  return typeof counted === "number" && counted >= 1 ? Number(Math.round(counted).toPrecision(2)) : null;
}
