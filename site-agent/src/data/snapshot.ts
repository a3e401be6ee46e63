import type { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import type { Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import type { ColumnBlock } from "@consilium/core/study/design";
import { hidesTables } from "@consilium/core/study/hidesTables";
import type { Study } from "@consilium/core/study/study";
import type { RecordBlock } from "@consilium/gate/record";
import { usedRows } from "./boundedRows.js";
import { contentHash, TableSummer } from "./contentHash.js";
import { checkSchema, type DecodedBlock, Tally } from "./decode.js";
import { attempt, fault, safeError } from "./fault.js";
import { flowRows } from "./flowRows.js";
import { openSource } from "./openSource.js";
import { tablePlace } from "./place.js";
import { processSecret, TableKeys } from "./rowHash.js";
import type { ReadLimits } from "./source.js";
import type { TableConfig } from "./tableConfig.js";

export interface BlockOptions {
  /** Rows per block, the last one excepted. Default: what makes about 4 MiB. */
  readonly blockRows?: number;
  readonly signal?: AbortSignal;
  /** Whether each block may overwrite the one before: a fifth faster, for callers that keep none. Default: false. */
  readonly reuseBlock?: boolean;
}

/** A table whose contents are those that were approved, or no result at all. */
export interface ApprovedTable {
  /** Rows that the study uses. */
  readonly rows: number;
  /** Of the rows that the study uses, in any order; see `contentHash.ts`. */
  readonly contentHash: Sha256;
  /**
   * Reads the table again, block by block, and hashes on the way. **Whatever is computed from the blocks counts
   * only once the iteration has ended by itself**: it ends with TABLE_CHANGED when they were not the approved ones.
   * Each block has arrays of its own, unless `reuseBlock` is set.
   * @throws ConsiliumError TABLE_CHANGED, TABLE_UNREADABLE; the signal's reason when aborted
   */
  blocks(options?: BlockOptions): AsyncIterable<ColumnBlock>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  readonly limits?: ReadLimits;
  /** What the table is hashed under, 32 bytes. Default: one of this process. */
  readonly secret?: Uint8Array;
}

/**
 * Checks a table for a study without reading a record.
 * @returns nothing; or TABLE_UNREADABLE, TABLE_EMPTY, CONFIG_INVALID, COLUMN_MISSING, COLUMN_AMBIGUOUS, COLUMN_TYPE
 */
export function checkTable(
  config: TableConfig,
  study: Study,
  options: OpenOptions = {},
): Promise<Result<void, ConsiliumError>> {
  return attempt(config, options.signal, async () =>
    checkSchema(await openSource(config, study, options.limits), study),
  );
}

/** What a pass over a table found: for the hospital alone. */
export interface FoundTable {
  /** Rows read, malformed ones not among them. */
  readonly rows: number;
  /** Rows that the study used. */
  readonly used: number;
  /** Rows that could not be taken apart; at least so many. */
  readonly malformed: number;
  /** Cells that no rule of the study covers. */
  readonly faults: number;
  /** Rows that the study's `where` leaves out. */
  readonly outside: number;
  /** Rows left out because their patient has more than the study takes. */
  readonly overBound: number;
  /** Rows left out because the table is longer than the study takes. */
  readonly unsampled: number;
}

/**
 * The rows of a study that hides tables, as the table is now: whatever they are, the reading goes to its end.
 * @param found - told what the pass found, once it has ended by itself
 * @throws ConsiliumError as `checkTable`, and TABLE_UNREADABLE; the signal's reason when aborted
 */
export async function* anyRows(
  config: TableConfig,
  study: Study,
  found: (table: FoundTable) => void,
  options: OpenOptions & BlockOptions = {},
): AsyncGenerator<ColumnBlock> {
  const { signal, limits, secret = processSecret } = options;
  const keys = TableKeys.derive(secret, study);
  const tally = new Tally(study);
  try {
    const opened = await openSource(config, study, limits);
    for await (const block of usedRows(opened, study, tally, { ...options, keys, anyRows: true }))
      yield anonymous(block);
  } catch (thrown) {
    signal?.throwIfAborted();
    throw safeError(thrown, config);
  }
  found({
    rows: tally.rows,
    used: tally.used,
    malformed: tally.malformed.rows,
    faults: tally.problems.reduce((sum, { count }) => sum + count, 0),
    outside: tally.outside,
    overBound: tally.overBound,
    unsampled: tally.unsampled,
  });
}

/** The records of a study's flow, as the table is now. @throws ConsiliumError as `anyRows`; the signal's reason when aborted */
export async function* tableFlow(
  config: TableConfig,
  study: Study,
  { secret = processSecret, signal }: Pick<OpenOptions, "secret" | "signal"> = {},
): AsyncGenerator<RecordBlock> {
  const keys = TableKeys.derive(secret, study);
  try {
    const opened = await openSource(config, study);
    yield* flowRows(opened, study, new Tally(study), { keys, signal, anyRows: hidesTables(study) });
  } catch (thrown) {
    signal?.throwIfAborted();
    throw safeError(thrown, config);
  }
}

/**
 * Opens an approved table for a later stage, without reading it yet.
 * @param approval - `rows` and `contentHash` of the snapshot that was approved
 */
export function reopen(
  config: TableConfig,
  study: Study,
  approval: { readonly rows: number; readonly contentHash: Sha256 },
  options: OpenOptions = {},
): Promise<Result<ApprovedTable, ConsiliumError>> {
  return attempt(config, options.signal, async () => {
    await openSource(config, study, options.limits);
    return approvedTable(config, study, approval, options);
  });
}

export function approvedTable(
  config: TableConfig,
  study: Study,
  approval: { readonly rows: number; readonly contentHash: Sha256 },
  options: OpenOptions,
): ApprovedTable {
  return {
    rows: approval.rows,
    contentHash: approval.contentHash,
    blocks: (blockOptions = {}) => verifiedBlocks(config, study, approval, options, blockOptions),
  };
}

async function* verifiedBlocks(
  config: TableConfig,
  study: Study,
  approval: { readonly rows: number; readonly contentHash: Sha256 },
  options: OpenOptions,
  blockOptions: BlockOptions,
): AsyncGenerator<ColumnBlock> {
  const place = tablePlace(config.name);
  const { signal } = blockOptions;
  const tally = new Tally(study);
  const keys = TableKeys.derive(options.secret ?? processSecret, study);
  const summer = new TableSummer(keys);
  try {
    const opened = await openSource(config, study, options.limits);
    for await (const block of usedRows(opened, study, tally, { ...blockOptions, keys })) {
      summer.add(block);
      if (summer.rows > approval.rows) throw fault("TABLE_CHANGED", "contents.more", { place });
      yield anonymous(block);
    }
  } catch (thrown) {
    signal?.throwIfAborted();
    const error = safeError(thrown, config);
    // The approved table had every column, once and of a fitting type.
    if (schemaCodes.has(error.code))
      throw fault("TABLE_CHANGED", "contents.columns", { place, code: nameOf(error.code) });
    throw error;
  }
  if (tally.problems.length > 0) throw fault("TABLE_CHANGED", "contents.uncovered", { place });
  if (summer.rows < approval.rows) throw fault("TABLE_CHANGED", "contents.fewer", { place });
  if (contentHash(summer.sum, keys) !== approval.contentHash)
    throw fault("TABLE_CHANGED", "contents.values", { place });
}

/** A block without whose rows they are. */
function anonymous({ rows, columns, labels, patientRows }: DecodedBlock): ColumnBlock {
  return { rows, columns, labels, ...(patientRows !== undefined && { patientRows }) };
}

const schemaCodes: ReadonlySet<string> = new Set([
  "COLUMN_MISSING",
  "COLUMN_AMBIGUOUS",
  "COLUMN_TYPE",
  "TABLE_EMPTY",
]);
