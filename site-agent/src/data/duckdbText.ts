import { BOOLEAN, type DuckDBDataChunk, DuckDBTableFunction, VARCHAR } from "@duckdb/node-api";
import type { TextBlock } from "./text/textBlock.js";

/** Text that our own reader takes apart, as a table function of DuckDB's: its text functions never see a hospital's file. */

/** What `textFunction` gives. */
interface TextRows {
  /** What statements call the function, unquoted. */
  readonly name: string;
  readonly width: number;
  /** About how many rows there are, by which DuckDB chooses an order of joins. */
  readonly rows: number;
  /** @param columns - places of those that are asked for */
  readonly blocks: (columns: readonly number[]) => AsyncGenerator<TextBlock>;
  /** Told each scan that begins, and what one fails at, before the statement fails by it. */
  readonly began: (scan: TextScan) => void;
  readonly failed: (thrown: unknown) => void;
}

/** A function whose first column, `there`, is false for a row that is none; the columns of the text follow as c0, c1, …. */
export function textFunction({ name, width, rows, blocks, began, failed }: TextRows): DuckDBTableFunction {
  return DuckDBTableFunction.create({
    name,
    supportsProjectionPushdown: true,
    bindFunction(info) {
      info.addResultColumn("there", BOOLEAN);
      for (let k = 0; k < width; k++) info.addResultColumn(`c${k}`, VARCHAR);
      info.setCardinality(rows, false);
    },
    initFunction(info) {
      const scan = new TextScan(info.getColumnIndexes(), blocks);
      info.setMaxThreads(1);
      info.setInitData(scan);
      began(scan);
    },
    mainFunction(info, chunk) {
      try {
        (info.initData as TextScan).fill(chunk);
      } catch (thrown) {
        failed(thrown);
        info.setError("text");
      }
    },
  });
}

/** So many rows in a row that are none, before each further one waits: what is read is late. */
const maxIdle = 100;
const idleMs = 1;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * One pass over the text. DuckDB waits in a thread of its own for each chunk, and takes none for the end; what is read of files comes
 * only while it does not wait, so that until then it is given a row that is none.
 */
export class TextScan {
  readonly #columns: readonly number[];
  readonly #blocks: AsyncGenerator<TextBlock>;
  #next: { readonly block: TextBlock | null } | { readonly thrown: unknown } | null = null;
  #idle = 0;

  constructor(columns: readonly number[], blocks: TextRows["blocks"]) {
    this.#columns = columns;
    this.#blocks = blocks(columns.filter((column) => column > 0).map((column) => column - 1));
    this.#ask();
  }

  /** Writes the next rows. @throws what the blocks threw */
  fill(chunk: DuckDBDataChunk): void {
    const next = this.#next;
    if (next === null) {
      if (++this.#idle > maxIdle) Atomics.wait(sleeper, 0, 0, idleMs);
      this.#write(chunk, 1, null);
      return;
    }
    if ("thrown" in next) throw next.thrown;
    this.#idle = 0;
    this.#write(chunk, next.block?.rows ?? 0, next.block);
    if (next.block !== null) this.#ask();
  }

  close(): void {
    this.#blocks.return(undefined).catch(() => undefined);
  }

  #ask(): void {
    this.#next = null;
    this.#blocks.next().then(
      ({ value, done }) => {
        this.#next = { block: done === true ? null : value };
      },
      (thrown: unknown) => {
        this.#next = { thrown };
      },
    );
  }

  #write(chunk: DuckDBDataChunk, rows: number, block: TextBlock | null): void {
    chunk.rowCount = rows;
    let column = 0;
    this.#columns.forEach((asked, k) => {
      const vector = chunk.getColumnVector(k);
      const texts = asked === 0 ? null : block?.columns[column++];
      for (let r = 0; r < rows; r++) vector.setItem(r, asked === 0 ? block !== null : (texts?.[r] ?? null));
      vector.flush();
    });
  }
}
