import type { ConsiliumError } from "@consilium/core/errors";
import type { Result } from "@consilium/core/result";
import { hidesTables } from "@consilium/core/study/hidesTables";
import type { Study } from "@consilium/core/study/study";
import { usedRows } from "./boundedRows.js";
import { contentHash, TableSummer } from "./contentHash.js";
import { Tally } from "./decode.js";
import { attempt, fault } from "./fault.js";
import { type OpenedSource, openSource } from "./openSource.js";
import { placeOf, shown } from "./place.js";
import { ProfileCollector, type ProfileReport } from "./profile.js";
import { processSecret, TableKeys } from "./rowHash.js";
import { type ApprovedTable, approvedTable, type OpenOptions } from "./snapshot.js";
import type { TableConfig } from "./tableConfig.js";

/** A table as found at preflight. */
export interface TableSnapshot extends ApprovedTable {
  /** For the hospital alone. */
  readonly report: ProfileReport;
}

/**
 * Reads a table through as a study declares it. What only some analyses refuse (too few rows, constant columns) is left
 * to `refusals`.
 * @returns the table to compute on; or the first thing wrong with it, naming table, column, row and remedy: as
 *   `checkTable`, and of a study that does not hide tables also COLUMN_TYPE of a cell, VALUE_NOT_FINITE,
 *   LEVEL_UNDECLARED, ROWS_TOO_MANY
 */
export function openTable(
  config: TableConfig,
  study: Study,
  options: OpenOptions = {},
): Promise<Result<TableSnapshot, ConsiliumError>> {
  return attempt(config, options.signal, async () => {
    const opened = await openSource(config, study, options.limits);
    const tally = new Tally(study);
    const collector = new ProfileCollector(study);
    const keys = TableKeys.derive(options.secret ?? processSecret, study);
    const summer = new TableSummer(keys);
    const takesAny = hidesTables(study);
    const pass = usedRows(opened, study, tally, {
      keys,
      signal: options.signal,
      reuseBlock: true,
      ...(takesAny ? { anyRows: true } : { maxRows: study.participation.maxRowsPerSite }),
    });
    for await (const block of pass) {
      collector.add(block);
      summer.add(block);
    }
    const problem = takesAny ? null : firstProblem(opened, tally);
    if (problem !== null) throw problem;
    const approval = { rows: tally.used, contentHash: contentHash(summer.sum, keys) };
    return { ...approvedTable(config, study, approval, options), report: collector.report(opened, tally) };
  });
}

const cellFaults = {
  COLUMN_TYPE: "cell.no-number",
  VALUE_NOT_FINITE: "cell.not-finite",
  LEVEL_UNDECLARED: "cell.undeclared",
} as const;

/** The first cell, in the order of the table, that no rule covers. */
function firstProblem(opened: OpenedSource, tally: Tally): ConsiliumError | null {
  const first = tally.problemsInOrder()[0];
  if (first === undefined) return null;
  const others = tally.problems.length - 1;
  const { row, count: same } = first;
  const place = placeOf(opened.config, opened.files[first.file]!);
  return fault(first.code, cellFaults[first.code], { place, column: shown(first.column), row, same, others });
}
