import { BOOLEAN, type DuckDBDataChunk, DuckDBTableFunction, VARCHAR } from "@duckdb/node-api";
import type { ReadOptions } from "./source.js";
import type { TextBlock, TextTable } from "./text/textBlock.js";

/** Text that our own reader takes apart, as a table function of DuckDB's, which never sees a hospital's file of text. */

/** Bytes of a row, about. */
const rowBytes = 100;

/**
 * A function whose first column, `there`, is false for a row that is not there; those of the text follow as c0, c1, ….
 * @param bytes - of the table's files, from which DuckDB chooses an order of joins
 * @param options - as those of a source; a record that is left out counts once, however often a statement reads it
 * @param scans - each pass is added to them when it begins
 */
export function textFunction(
  { name, table, bytes }: { readonly name: string; readonly table: TextTable; readonly bytes: number },
  { signal, malformed }: ReadOptions,
  scans: TextScan[],
): DuckDBTableFunction {
  let most = 0;
  const blocks = async function* (columns: readonly number[]) {
    const own = malformed && { rows: 0 };
    try {
      for (const file of table.files) yield* table.texts(file, columns, { signal, malformed: own });
    } finally {
      const more = Math.max(0, (own?.rows ?? 0) - most);
      most += more;
      if (malformed !== undefined) malformed.rows += more;
    }
  };
  return DuckDBTableFunction.create({
    name,
    supportsProjectionPushdown: true,
    bindFunction(info) {
      info.addResultColumn("there", BOOLEAN);
      for (const k of table.names.keys()) info.addResultColumn(`c${k}`, VARCHAR);
      info.setCardinality(Math.ceil(bytes / rowBytes), false);
    },
    initFunction(info) {
      const scan = new TextScan(info.getColumnIndexes(), blocks);
      info.setMaxThreads(1);
      info.setInitData(scan);
      scans.push(scan);
    },
    mainFunction(info, chunk) {
      const scan = info.initData as TextScan;
      if (scan.thrown === null) scan.fill(chunk);
      else info.setError("text");
    },
  });
}

/**
 * One pass over the text. A thread of DuckDB's waits for each chunk, and takes one without rows for the end; what is read of files
 * comes only while it does not wait, so that until then it is given a row that is not there, at which the view lets it sleep.
 */
export class TextScan {
  /** Fault at which reading the text ended; null while there is none. */
  thrown: unknown = null;
  readonly #columns: readonly number[];
  readonly #blocks: AsyncGenerator<TextBlock>;
  /** Null while it is read; undefined behind the last one. */
  #next: TextBlock | undefined | null = null;

  /** @param columns - that are asked for, `there` being 0 */
  constructor(columns: readonly number[], blocks: (columns: readonly number[]) => AsyncGenerator<TextBlock>) {
    this.#columns = columns;
    this.#blocks = blocks(columns.filter((column) => column > 0).map((column) => column - 1));
    this.#ask();
  }

  /** Writes the next rows. */
  fill(chunk: DuckDBDataChunk): void {
    const block = this.#next;
    const rows = block === null ? 1 : (block?.rows ?? 0);
    chunk.rowCount = rows;
    let column = 0;
    for (const [k, asked] of this.#columns.entries()) {
      const vector = chunk.getColumnVector(k);
      const texts = asked === 0 ? null : block?.columns[column++];
      for (let r = 0; r < rows; r++)
        vector.setItem(r, texts === null ? block !== null : (texts?.[r] ?? null));
      vector.flush();
    }
    if (block) this.#ask();
  }

  close(): void {
    this.#blocks.return(undefined).catch(() => undefined);
  }

  #ask(): void {
    this.#next = null;
    const read = ({ value }: IteratorResult<TextBlock, undefined>) => {
      this.#next = value;
    };
    this.#blocks.next().then(read, (thrown: unknown) => {
      this.thrown = thrown;
    });
  }
}
