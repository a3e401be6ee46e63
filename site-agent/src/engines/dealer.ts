import type { CellChunk } from "../data/cells.js";

/** Rows of one share, to be sent to its worker. */
export interface Batch {
  readonly share: number;
  readonly rows: number;
  /** Of exactly so many rows. */
  readonly columns: readonly Float64Array[];
  /** Gives its arrays back, once they are written: fresh memory for each batch would take half as long again. */
  readonly release: () => void;
}

/** Values of a batch: some 2 MiB, which a worker and the pipe to it hold a few of; less where there are many shares. */
const batchValues = 2 ** 18;
const allValues = 2 ** 22;
const batchRowsMost = 8192;

interface DealerOptions {
  readonly shares: number;
  readonly columns: number;
  /**
   * Which column says with whom a row stays: the first part of the hash of its patient, or the level of its map task; null where rows
   * are dealt by themselves.
   */
  readonly togetherAt: number | null;
}

/**
 * Divides a table's rows into shares as they are read. A patient's rows all come to one share, by a hash of who it is: that
 * is what a bound on a patient's rows needs. Other rows are dealt in runs, each share in turn. Either way a further reading of
 * the same rows in the same order gives the same shares.
 */
export class Dealer {
  readonly #options: DealerOptions;
  readonly #batchRows: number;
  readonly #open: { columns: Float64Array[]; rows: number }[];
  readonly #free: Float64Array[][] = [];
  #turn = 0;

  constructor(options: DealerOptions) {
    const { shares, columns } = options;
    this.#options = options;
    const values = Math.min(batchValues, allValues / shares);
    this.#batchRows = Math.max(16, Math.min(batchRowsMost, Math.floor(values / columns)));
    this.#open = Array.from({ length: shares }, () => ({ columns: [], rows: 0 }));
  }

  /** Takes rows. @returns the batches that are full */
  *deal(chunk: CellChunk): Generator<Batch> {
    const { shares, togetherAt } = this.#options;
    if (togetherAt === null) {
      for (let from = 0; from < chunk.rows; ) {
        const rows = Math.min(chunk.rows - from, this.#batchRows - this.#open[this.#turn]!.rows);
        this.#copy(this.#turn, chunk, from, rows);
        from += rows;
        if (this.#open[this.#turn]!.rows < this.#batchRows) continue;
        yield this.#take(this.#turn);
        this.#turn = (this.#turn + 1) % shares;
      }
      return;
    }
    const together = chunk.columns[togetherAt]!;
    for (let r = 0; r < chunk.rows; r++) {
      const share = Math.max(0, together[r]!) % shares;
      this.#copy(share, chunk, r, 1);
      if (this.#open[share]!.rows === this.#batchRows) yield this.#take(share);
    }
  }

  /** What is left when all rows were dealt. */
  *rest(): Generator<Batch> {
    for (const [share, { rows }] of this.#open.entries()) if (rows > 0) yield this.#take(share);
  }

  #copy(share: number, chunk: CellChunk, from: number, rows: number): void {
    const open = this.#open[share]!;
    if (open.columns.length === 0)
      open.columns = this.#free.pop() ?? chunk.columns.map(() => new Float64Array(this.#batchRows));
    const { columns } = open;
    for (let k = 0; k < columns.length; k++) {
      if (rows === 1) columns[k]![open.rows] = chunk.columns[k]![from]!;
      else columns[k]!.set(chunk.columns[k]!.subarray(from, from + rows), open.rows);
    }
    open.rows += rows;
  }

  #take(share: number): Batch {
    const { columns, rows } = this.#open[share]!;
    this.#open[share] = { columns: [], rows: 0 };
    return {
      share,
      rows,
      columns: columns.map((column) => column.subarray(0, rows)),
      release: () => this.#free.push(columns),
    };
  }
}
