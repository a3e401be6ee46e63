import type { StudyId } from "@consilium/core/ids";
import { keysOf } from "@consilium/core/keysOf";
import type { KnownRowsView } from "@consilium/core/operator/consoleViews";
import type { ExpectedPrecision, PrecisionCase } from "@consilium/core/study/expectedPrecision";
import { rowsExpected, sitesAtLeast } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { shownResultStep } from "../release/shownResult.js";
import type { StudyRecords } from "../rounds/records.js";

/** Rows of a site that are plausible where nobody has said how many to expect. */
const plausibleRows = [1_000, 10_000, 100_000];

/** The most rows of a site are set with room: a tenth of them is plausible as well. */
const room = 10;

/**
 * Numbers of rows that each site may have, the fewest first: two at least, for one alone would be taken for what is known.
 * @param maxRowsPerSite - at least 2
 */
export function rowsToAssume(maxRowsPerSite: number): number[] {
  const plausible = plausibleRows.filter((rows) => rows <= maxRowsPerSite);
  if (plausible.length > 1) return plausible;
  const fewest = Math.max(1, Math.floor(maxRowsPerSite / room));
  return [fewest, maxRowsPerSite];
}

/** What precision to expect of a study: by the rows that it expects, or for each number of rows that its sites may have. */
export function precisionCases(
  study: Study,
  precisionOf: (study: Study) => readonly ExpectedPrecision[],
): PrecisionCase[] {
  const { participation } = study;
  const cases: PrecisionCase[] =
    participation.expectedRows !== undefined
      ? [{ rows: rowsExpected(study), rowsPerSite: null, lines: precisionOf(study) }]
      : rowsToAssume(participation.maxRowsPerSite).map((rowsPerSite) => {
          const rows = rowsPerSite * sitesAtLeast(study);
          const events = participation.expectedEvents;
          const assumed = {
            ...study,
            participation: {
              ...participation,
              expectedRows: rows,
              // In the part of rows that the study expects to have one.
              ...(events === undefined ? {} : { expectedEvents: (events * rows) / rowsExpected(study) }),
            },
          };
          return { rows, rowsPerSite, lines: precisionOf(assumed) };
        });
  return cases.some(({ lines }) => lines.length > 0) ? cases : [];
}

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
