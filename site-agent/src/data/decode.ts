import type { ErrorCode } from "@consilium/core/errors";
import type { ColumnBlock } from "@consilium/core/study/design";
import { levelsOf, missingConstantOf, type NumericFeature } from "@consilium/core/study/features";
import { boundedFeatures } from "@consilium/core/study/flow";
import { cohortOf } from "@consilium/core/study/recoding";
import type { Study } from "@consilium/core/study/study";
import type { Where } from "@consilium/core/study/where/where";
import { type FlowStatus, flowSide, flowStatus } from "@consilium/gate/flow";
import type { BoundedRows, PatientBound } from "@consilium/gate/patientBound";
import { type CellChunk, type CellRequest, levelCell, numberCell } from "./cells.js";
import { checkColumns, type DeclaredColumn, declaredColumns, ownNames, requestsFor } from "./columns.js";
import { fault } from "./fault.js";
import { Meanings } from "./meanings.js";
import type { OpenedSource } from "./openSource.js";
import { noPatient, patientParts } from "./patientHash.js";
import { placeOf, tablePlace } from "./place.js";
import { Recoding } from "./recoding.js";
import type { RowHasher, TableKeys } from "./rowHash.js";
import { RowSample } from "./rowSample.js";
import type { MalformedRows, ReadOptions, RowRange, SourceColumn } from "./source.js";
import { orderByOf } from "./tableUnit.js";

/** One pass over a table: cells become blocks of rows as a study declares them, and everything is counted. */

/** A cell that no rule covers: the study cannot use the table until it is corrected. */
interface DataProblem {
  readonly code: Extract<ErrorCode, "COLUMN_TYPE" | "VALUE_NOT_FINITE" | "LEVEL_UNDECLARED">;
  readonly column: string;
  /** Where the first one is: a row of the file, counted from 1, the header not counted. */
  readonly row: number;
  /** The file's place in the table's order, counted from 0. */
  readonly file: number;
  /** How many there are in the column. */
  count: number;
}

interface ColumnTally {
  /** Cells without a value, in all rows. */
  missing: number;
  /** Cells that hold none of its levels. */
  undeclared: number;
  /** Rows left out because of this column's value: missing, or one that the study refuses; a row with two counts for both. */
  rejectedRows: number;
  /** Values of used rows that were put on the declared minimum or maximum. */
  below: number;
  above: number;
  /** Rows by value beyond its bounds, of the first `maxBeyond` different ones; null where nobody asks. */
  readonly beyond: Map<number, number> | null;
}

/** Different values beyond a column's bounds that are counted apart. */
const maxBeyond = 10_000;

/** What a pass counted so far; complete when the pass has ended. */
export class Tally {
  /** Rows read, and those of them handed out. */
  rows = 0;
  used = 0;
  /** Of a study that names the patient, else 0: patients of whom a row was used. */
  patients = 0;
  /** Rows left out because their patient is missing; a row may count at a column as well. */
  withoutPatient = 0;
  /** Rows that `where` leaves out, of which nothing else is counted; and those of them that a missing cell leaves open. */
  outside = 0;
  open = 0;
  /** Usable rows left out because their patient has more than the study takes. */
  overBound = 0;
  /** Usable rows that the sample leaves out; see `RowSample`. */
  unsampled = 0;
  /** Rows that cannot be taken apart, and so are not among those read. */
  readonly malformed: MalformedRows = { rows: 0 };
  /** Per declared column: features in their order, then the label. */
  readonly columns: readonly ColumnTally[];
  readonly problems: DataProblem[] = [];

  /** @param isProfile - whether values beyond bounds are counted one by one */
  constructor(study: Study, isProfile = false) {
    this.columns = declaredColumns(study).map(() => ({
      missing: 0,
      undeclared: 0,
      rejectedRows: 0,
      below: 0,
      above: 0,
      beyond: isProfile ? new Map() : null,
    }));
  }

  /** The problems in the order in which the table shows the first of each. */
  problemsInOrder(): DataProblem[] {
    return [...this.problems].sort((a, b) => a.file - b.file || a.row - b.row);
  }
}

/** A block, and whose rows they are: that goes no further than this folder. */
export interface DecodedBlock extends ColumnBlock {
  /** Null where the study names no patient. */
  readonly patients: BlockPatients | null;
}

export interface BlockPatients extends BoundedRows {
  /** Per row what `PatientBound.take` returned; zeros as long as rows are noted. */
  readonly places: Uint32Array;
}

export interface DecodeOptions {
  /** Rows per block, the last one excepted. Default: what makes about 4 MiB. */
  readonly blockRows?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether each block overwrites the one before: for callers that are done with it when they ask for the next. */
  readonly reuseBlock?: boolean | undefined;
  /** Stops at more used rows than this with ROWS_TOO_MANY. Default: no limit. */
  readonly maxRows?: number | undefined;
  /**
   * Whatever the rows are, the reading goes to its end: malformed rows are left out and counted, and so are those that a
   * sample leaves out.
   */
  readonly anyRows?: boolean;
}

export interface PassOptions extends DecodeOptions {
  readonly keys: TableKeys;
  /** Of a study that names the patient, else null. Not settled: all usable rows are handed out, to be noted. */
  readonly bound: PatientBound | null;
  /**
   * In place of usable rows, of every row that no sample leaves out its status and the side of each number (gate/src/flow.ts), and of a
   * study that names the patient whose row it is.
   */
  readonly isFlow?: true;
}

/** Rows per block that make about 4 MiB of `columns` columns. */
function defaultBlockRows(columns: number): number {
  return Math.max(64, Math.min(16_384, Math.floor(2 ** 19 / Math.max(columns, 1))));
}

/**
 * Decodes a table once. Rows that a missing value or a problem rules out are left out of the blocks, and so are usable rows that
 * the bound on their patient's rows does not take.
 * @param tally - filled while the blocks are taken
 * @throws ConsiliumError when a file cannot be read or lacks a column; never for a single bad cell, and with `anyRows`
 *   for nothing that depends on a row
 */
export async function* decodeTable(
  opened: OpenedSource,
  study: Study,
  tally: Tally,
  options: PassOptions,
): AsyncGenerator<DecodedBlock> {
  const { config } = opened;
  const meanings = new Meanings(config);
  const orderBy = orderByOf(config);
  const requests = requestsFor(study, meanings, { orderBy, key: options.keys.patients });
  const isFlow = options.isFlow === true;
  if (!isFlow && (options.bound === null) !== (study.patient === undefined))
    throw new RangeError("a study that names the patient is read with a bound on its rows, and no other");
  const blockRows = options.blockRows ?? defaultBlockRows(requests.length);
  if (!Number.isInteger(blockRows) || blockRows < 1)
    throw new RangeError("blockRows must be a positive integer");
  const anyRows = options.anyRows ?? false;
  const builder = new BlockBuilder({
    study,
    tally,
    meanings,
    blockRows,
    reuse: options.reuseBlock ?? false,
    sample: anyRows ? RowSample.of(config, study) : null,
    bound: options.bound,
    choice: options.bound === null ? null : options.keys.hasher("choice"),
    isOrdered: orderBy !== undefined,
    isFlow,
  });
  const malformed = anyRows ? tally.malformed : undefined;
  const files = opened.files.map((file) => ({ file }));
  const reading = { signal: options.signal, malformed, anyRows };
  for await (const { chunk, file, row } of readCells(opened, files, requests, reading)) {
    for (let from = 0; from < chunk.rows; ) {
      const rows = Math.min(chunk.rows - from, builder.room);
      builder.add(chunk, from, rows, { file, row: row + from });
      from += rows;
      if (options.maxRows !== undefined && tally.used > options.maxRows) {
        const place = tablePlace(config.name);
        throw fault("ROWS_TOO_MANY", "rows.many", { place, most: options.maxRows });
      }
      if (builder.room === 0) yield builder.take();
    }
  }
  if (builder.rows > 0) yield builder.take();
}

/** A run of rows, and where the first of them is in the table: the file's place, and the row of it counted from 1. */
interface PlacedChunk {
  readonly chunk: CellChunk;
  readonly file: number;
  readonly row: number;
}

/** A file, or some rows of it. */
export interface Piece {
  readonly file: string;
  readonly range?: RowRange | undefined;
}

/**
 * Reads a table's cells, file after file.
 * @throws ConsiliumError as `decodeTable`
 */
export async function* readCells(
  opened: Omit<OpenedSource, "files">,
  pieces: readonly Piece[],
  requests: readonly CellRequest[],
  { anyRows, ...options }: Omit<ReadOptions, "range" | "check"> & { readonly anyRows: boolean },
): AsyncGenerator<PlacedChunk> {
  const { config, source } = opened;
  let empty = 0;
  for (const [place, { file, range }] of pieces.entries()) {
    const check = (columns: readonly SourceColumn[]) =>
      checkColumns(columns, ownNames(columns, requests), placeOf(config, file));
    const own = opened.format === "parquet" ? requests : await checkFile(opened, file, requests, anyRows);
    if (own === null) {
      empty++;
      // Lines end where they end: a JSON lines file of a day without records is empty.
      if (empty < pieces.length) continue;
      throw fault("TABLE_EMPTY", "source.empty", { place: placeOf(config, file) });
    }
    let row = 1;
    for await (const chunk of source.read(file, own, { ...options, range, check })) {
      yield { chunk, file: place, row };
      row += chunk.rows;
    }
  }
}

/**
 * Checks a file's columns: what no row of a table can change.
 * @param anyRows - of a format whose rows name the columns, a column that no row has is one without a value
 * @returns the requests by the file's own names; null for JSON lines without a line
 * @throws ConsiliumError TABLE_EMPTY, and as `checkColumns`
 */
async function checkFile(
  { config, source, format }: Omit<OpenedSource, "files">,
  file: string,
  requests: readonly CellRequest[],
  anyRows: boolean,
): Promise<readonly CellRequest[] | null> {
  if (format === "jsonl" && anyRows)
    return ownNames(
      (config.columns ?? []).map((name) => ({ name })),
      requests,
    );
  const columns = await source.columns(
    file,
    requests.map((request) => request.name),
  );
  if (columns.length > 0) {
    const own = ownNames(columns, requests);
    checkColumns(columns, own, placeOf(config, file));
    return own;
  }
  if (format === "jsonl") return null;
  throw fault("TABLE_EMPTY", "source.empty", { place: placeOf(config, file) });
}

/**
 * Checks that a study can read a table, without reading a record: its files are there, and have the columns.
 * @throws ConsiliumError TABLE_UNREADABLE, TABLE_EMPTY, CONFIG_INVALID, and as `checkColumns`
 */
export async function checkSchema(opened: OpenedSource, study: Study): Promise<void> {
  const requests = requestsFor(study, new Meanings(opened.config), {
    orderBy: orderByOf(opened.config),
  });
  for (const file of opened.files) await checkFile(opened, file, requests, true);
}

/** Fills blocks of a fixed number of rows from chunks of any. */
class BlockBuilder {
  readonly #columns: readonly DeclaredColumn[];
  readonly #features: number;
  readonly #tally: Tally;
  readonly #recoding: Recoding;
  readonly #where: Where | null;
  readonly #blockRows: number;
  readonly #reuse: boolean;
  readonly #bound: PatientBound | null;
  readonly #choice: RowHasher | null;
  readonly #isOrdered: boolean;
  readonly #sample: RowSample | null;
  /** Of `columns`, for the rows just added. */
  readonly #read: readonly Float64Array[];
  #patients: BlockPatients | null;
  /** Features in their order; then, as float64 too, the label. */
  #arrays: Float64Array[];
  #keep = new Uint8Array(0);
  /** Of the rows just added, and of the block where those are its content. */
  #causes = new Uint8Array(0);
  readonly #flow: readonly Float64Array[] | null;
  /** Per column, whether the rows just added hold values outside its bounds. */
  readonly #outside: boolean[] = [];
  rows = 0;

  constructor({
    study,
    tally,
    meanings,
    blockRows,
    reuse,
    sample,
    bound,
    choice,
    isOrdered,
    isFlow,
  }: {
    readonly study: Study;
    readonly tally: Tally;
    readonly meanings: Meanings;
    readonly blockRows: number;
    readonly reuse: boolean;
    readonly sample: RowSample | null;
    readonly bound: PatientBound | null;
    /** For the keys of a patient's rows. */
    readonly choice: RowHasher | null;
    readonly isOrdered: boolean;
    readonly isFlow: boolean;
  }) {
    this.#sample = sample;
    this.#columns = declaredColumns(study);
    this.#features = study.features.length;
    this.#tally = tally;
    this.#recoding = new Recoding(study, meanings);
    this.#where = cohortOf(study);
    this.#blockRows = blockRows;
    this.#reuse = reuse;
    this.#arrays = this.#allocate();
    const read = this.#where === null ? [] : (study.columns ?? []);
    this.#read = read.map(() => new Float64Array(blockRows));
    this.#bound = bound;
    this.#choice = choice;
    this.#isOrdered = isOrdered;
    const numbers = boundedFeatures(study);
    this.#flow = isFlow ? [0, ...numbers].map(() => new Float64Array(blockRows)) : null;
    this.#patients = this.#allocatePatients(isFlow && study.patient !== undefined);
  }

  #allocate(): Float64Array[] {
    const all = new Float64Array(this.#columns.length * this.#blockRows);
    return this.#columns.map((_, k) => all.subarray(k * this.#blockRows, (k + 1) * this.#blockRows));
  }

  #allocatePatients(isFlow = false): BlockPatients | null {
    if (this.#bound === null && !isFlow) return null;
    const values = () => new Float64Array(this.#blockRows);
    return {
      patient: [values(), values(), values()],
      order: this.#isOrdered ? values() : null,
      key: values(),
      places: new Uint32Array(this.#blockRows),
    };
  }

  /** Rows that still fit. */
  get room(): number {
    return this.#blockRows - this.rows;
  }

  take(): DecodedBlock {
    const { rows } = this;
    const patients = this.#patients;
    if (this.#flow !== null) {
      this.rows = 0;
      return { rows, columns: this.#flow, labels: null, patients };
    }
    const columns = this.#arrays.slice(0, this.#features);
    const label = this.#arrays[this.#features];
    const labels = label === undefined ? null : new Uint16Array(label.subarray(0, rows));
    this.rows = 0;
    if (!this.#reuse) {
      this.#arrays = this.#allocate();
      this.#patients = this.#allocatePatients();
    }
    return { rows, columns, labels, patients };
  }

  /**
   * Takes rows [from, from + rows) of a chunk, at most `room`.
   * @param at - where the first of them is in the table
   */
  add(chunk: CellChunk, from: number, rows: number, at: { file: number; row: number }): void {
    if (this.#keep.length < rows) {
      this.#keep = new Uint8Array(Math.max(rows, 2048));
      this.#causes = new Uint8Array(this.#keep.length);
    }
    const keep = this.#keep.subarray(0, rows).fill(1);
    this.#causes.fill(flowStatus.used, 0, rows);
    const cellsOf = this.#arrays.map((array) => array.subarray(this.rows, this.rows + rows));
    const all = [...cellsOf, ...this.#read.map((array) => array.subarray(0, rows))];
    all.forEach((cells, k) => {
      this.#recoding.makers[k]!(chunk, from, cells);
    });
    this.#leaveOutside(all, keep);
    this.#columns.forEach((column, k) => {
      const cells = cellsOf[k]!;
      if (column.type === "numeric") this.#outside[k] = this.#checkNumbers(k, column, cells, keep, at);
      else this.#checkLevels(k, cells, keep, at);
    });
    this.#tally.rows += rows;
    if (this.#flow !== null) {
      this.#addStatuses(this.#flow, chunk, from, keep);
      return;
    }
    // Before the bound: what the sample leaves out takes no other row's place.
    if (this.#sample !== null) this.#tally.unsampled += this.#sample.leaveOut(chunk, from, keep);
    if (this.#bound !== null) this.#boundPatients(this.#bound, chunk, from, keep);
    const kept = this.#compact(keep);
    this.#columns.forEach((column, k) => {
      if (column.type === "numeric" && this.#outside[k] === true) {
        clamp(
          this.#arrays[k]!.subarray(this.rows, this.rows + kept),
          column.min,
          column.max,
          this.#tally.columns[k]!,
        );
      }
    });
    this.rows += kept;
    this.#tally.used += kept;
  }

  /** Of every row that the sample takes why it is left out, and of a used one on which side of its bounds each number lies. */
  #addStatuses(flow: readonly Float64Array[], chunk: CellChunk, from: number, keep: Uint8Array): void {
    const taken = keep.slice().fill(1);
    if (this.#sample !== null) this.#tally.unsampled += this.#sample.leaveOut(chunk, from, taken);
    const copy = (out: Float64Array, valueAt: (r: number) => number) => {
      let at = this.rows;
      for (let r = 0; r < taken.length; r++) if (taken[r] === 1) out[at++] = valueAt(r);
      return at - this.rows;
    };
    const rows = copy(flow[0]!, (r) => this.#causes[r]!);
    let n = 1;
    this.#columns.forEach((column, k) => {
      if (column.type !== "numeric") return;
      const cells = this.#arrays[k]!.subarray(this.rows);
      copy(flow[n++]!, (r) => (keep[r] === 0 ? 0 : sideOf(cells[r]!, column)));
    });
    const parts = chunk.columns.slice(-patientParts.length);
    this.#patients?.patient.forEach((out, p) => {
      copy(out, (r) => parts[p]![from + r]!);
    });
    this.#tally.used += taken.reduce((sum, one, r) => sum + one * keep[r]!, 0);
    this.rows += rows;
  }

  #leaveOut(keep: Uint8Array, r: number, cause: Exclude<FlowStatus, "used">): void {
    const before = this.#causes[r]!;
    if (before === flowStatus.used || flowStatus[cause] < before) this.#causes[r] = flowStatus[cause];
    keep[r] = 0;
  }

  /** Before all else: a row that the study is not about is no fault of the table, and takes no other row's place. */
  #leaveOutside(all: readonly Float64Array[], keep: Uint8Array): void {
    if (this.#where === null) return;
    for (let r = 0; r < keep.length; r++) {
      const truth = this.#where.test(all, r);
      if (truth === true) continue;
      this.#leaveOut(keep, r, "where");
      this.#tally.outside++;
      if (truth === null) this.#tally.open++;
      // Values that no check counts.
      this.#columns.forEach((column, k) => {
        all[k]![r] = column.type === "numeric" ? column.min : 0;
      });
    }
  }

  /** @returns whether a finite value is outside the declared bounds */
  #checkNumbers(
    k: number,
    column: NumericFeature,
    cells: Float64Array,
    keep: Uint8Array,
    at: { file: number; row: number },
  ): boolean {
    const { min, max } = column;
    const refusesBelow = column.below === "reject-row";
    let outside = false;
    for (let r = 0; r < cells.length; r++) {
      const value = cells[r]!;
      // Some formats keep the sign of zero, others lose it.
      if (value === 0) cells[r] = 0;
      if (value >= min && value <= max) continue;
      if (value === numberCell.notFinite) this.#problem("VALUE_NOT_FINITE", k, at, r, keep);
      else if (value === numberCell.notNumeric) this.#problem("COLUMN_TYPE", k, at, r, keep);
      else if (refusesBelow && value < min) {
        this.#tally.columns[k]!.rejectedRows++;
        this.#leaveOut(keep, r, "level");
      } else if (!Number.isNaN(value)) outside = true;
      else {
        const tally = this.#tally.columns[k]!;
        tally.missing++;
        if (column.missing === "reject-row") {
          tally.rejectedRows++;
          this.#leaveOut(keep, r, "missing");
        }
        // Of all NaN that there are, one: rows are hashed by their bits.
        else cells[r] = (missingConstantOf(column) ?? numberCell.missing) + 0;
      }
    }
    return outside;
  }

  #checkLevels(k: number, cells: Float64Array, keep: Uint8Array, at: { file: number; row: number }): void {
    const column = this.#columns[k]!;
    if (column.type === "numeric") return;
    const ownLevel =
      column.type === "categorical" && column.missing === "own-level" ? levelsOf(column).length - 1 : null;
    const tally = this.#tally.columns[k]!;
    for (let r = 0; r < cells.length; r++) {
      const code = cells[r]!;
      if (code >= 0) continue;
      const isMissing = code === levelCell.missing;
      tally[isMissing ? "missing" : "undeclared"]++;
      if (isMissing ? ownLevel === null : column.undeclared === "reject-row") {
        tally.rejectedRows++;
        this.#leaveOut(keep, r, causeOf(column, isMissing));
      } else if (isMissing) cells[r] = ownLevel!;
      else if (column.undeclared === "other") cells[r] = column.levels.length;
      else this.#problem("LEVEL_UNDECLARED", k, at, r, keep);
    }
  }

  /** Leaves out rows without a patient, then of the rows still kept those over the bound. */
  #boundPatients(bound: PatientBound, chunk: CellChunk, from: number, keep: Uint8Array): void {
    const own = patientParts.length + (this.#isOrdered ? 1 : 0);
    const cells = chunk.columns.slice(-own).map((column) => column.subarray(from));
    const order = this.#isOrdered ? cells.shift()! : null;
    const rows: BoundedRows = {
      patient: cells as [Float64Array, Float64Array, Float64Array],
      order,
      key: this.#choice!.keys(
        this.#arrays.map((array) => array.subarray(this.rows)),
        keep.length,
      ),
    };
    const patients = this.#patients!;
    let kept = this.rows;
    for (let r = 0; r < keep.length; r++) {
      if (rows.patient[0][r] === noPatient) {
        this.#tally.withoutPatient++;
        keep[r] = 0;
      }
      if (keep[r] === 0) continue;
      const place = bound.isSettled ? bound.take(rows, r) : 0;
      if (place === -1) {
        this.#tally.overBound++;
        keep[r] = 0;
        continue;
      }
      patients.places[kept] = place;
      patients.key[kept] = rows.key[r]!;
      if (patients.order !== null) patients.order[kept] = order![r]!;
      patients.patient.forEach((part, p) => {
        part[kept] = rows.patient[p]![r]!;
      });
      kept++;
    }
    this.#tally.patients = bound.patients;
  }

  #problem(
    code: DataProblem["code"],
    k: number,
    at: { file: number; row: number },
    r: number,
    keep: Uint8Array,
  ): void {
    const { name: column, type } = this.#columns[k]!;
    if (type === "numeric") this.#leaveOut(keep, r, "type");
    else this.#leaveOut(keep, r, causeOf(this.#columns[k]!, false));
    const known = this.#tally.problems.find((problem) => problem.code === code && problem.column === column);
    if (known !== undefined) known.count++;
    else this.#tally.problems.push({ code, column, file: at.file, row: at.row + r, count: 1 });
  }

  /** Closes the gaps that rejected rows left. @returns how many rows remain */
  #compact(keep: Uint8Array): number {
    if (!keep.includes(0)) return keep.length;
    let kept = 0;
    for (const array of this.#arrays) {
      kept = 0;
      for (let r = 0; r < keep.length; r++) {
        if (keep[r] === 1) array[this.rows + kept++] = array[this.rows + r]!;
      }
    }
    return kept;
  }
}

/** Why a level leaves its row out. */
const causeOf = ({ type }: DeclaredColumn, isMissing: boolean) =>
  type === "label" ? "label" : isMissing ? "missing" : "level";

function sideOf(value: number, { min, max }: NumericFeature): number {
  if (value < min) return flowSide.below;
  return value > max ? flowSide.above : 0;
}

function clamp(values: Float64Array, min: number, max: number, tally: ColumnTally): void {
  for (let r = 0; r < values.length; r++) {
    const value = values[r]!;
    if (tally.beyond !== null && (value < min || value > max)) countBeyond(tally.beyond, value);
    if (value < min) {
      values[r] = min + 0;
      tally.below++;
    } else if (value > max) {
      values[r] = max + 0;
      tally.above++;
    }
  }
}

function countBeyond(counts: Map<number, number>, value: number): void {
  const before = counts.get(value);
  if (before !== undefined || counts.size < maxBeyond) counts.set(value, (before ?? 0) + 1);
}
