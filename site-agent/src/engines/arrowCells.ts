import {
  AsyncByteQueue,
  Field,
  Float64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
} from "apache-arrow";

/**
 * Metadata of a stream whose columns are cells already, as `cells.ts` defines them: one column of float64 for each request in
 * turn, three for a patient. Without it columns hold what the hospital's system holds, and are found by their names.
 */
export const cellsKey = "consilium.cells";

/** Cells as Arrow IPC streams, one for each pass over a table. */
export class CellStream {
  readonly #schema: Schema;
  readonly #sink = new CollectedBytes();
  #writer: RecordBatchStreamWriter | null = null;
  /** What precedes the cells of a batch of so many rows: nothing of it depends on them. */
  #head: { readonly rows: number; readonly bytes: Uint8Array } | null = null;

  constructor(columns: number) {
    const fields = Array.from({ length: columns }, (_, k) => new Field(`c${k}`, new Float64(), false));
    this.#schema = new Schema(fields, new Map([[cellsKey, "1"]]));
  }

  /** What a stream begins with. Of one without a batch the library's reader does not notice the end before the pipe's: there is one. */
  begin(): Uint8Array[] {
    this.#writer = new RecordBatchStreamWriter({ autoDestroy: false }).reset(this.#sink, this.#schema);
    const none = this.#schema.fields.map(() => new Float64Array(0));
    return this.#written(none, 0);
  }

  /** @param columns - [rows] each, of at least one row; they are not copied, and belong to the reader of the bytes from then on */
  batch(columns: readonly Float64Array[], rows: number): Uint8Array[] {
    const cells = columns.map((column) => new Uint8Array(column.buffer, column.byteOffset, 8 * rows));
    if (this.#head?.rows === rows) return [this.#head.bytes, ...cells];
    const written = this.#written(columns, rows);
    const bytes = Buffer.concat(written.slice(0, -columns.length));
    this.#head = { rows, bytes };
    return [bytes, ...cells];
  }

  /** What it ends with; the next one begins anew. */
  end(): Uint8Array[] {
    this.#writer!.reset(this.#sink);
    this.#writer = null;
    return this.#sink.collect();
  }

  #written(columns: readonly Float64Array[], rows: number): Uint8Array[] {
    const type = new Struct(this.#schema.fields);
    const children = columns.map((data) => makeData({ type: new Float64(), length: rows, data }));
    this.#writer!.write(new RecordBatch(this.#schema, makeData({ type, length: rows, children })));
    return this.#sink.collect();
  }
}

class CollectedBytes extends AsyncByteQueue {
  #bytes: Uint8Array[] = [];

  override write(bytes: Uint8Array): void {
    this.#bytes.push(bytes);
  }

  collect(): Uint8Array[] {
    const bytes = this.#bytes;
    this.#bytes = [];
    return bytes;
  }
}
