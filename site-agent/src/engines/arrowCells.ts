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

  constructor(columns: number) {
    const fields = Array.from({ length: columns }, (_, k) => new Field(`c${k}`, new Float64(), false));
    this.#schema = new Schema(fields, new Map([[cellsKey, "1"]]));
  }

  /** @param columns - [rows] each; they are not copied, and belong to the reader of the bytes from then on */
  batch(columns: readonly Float64Array[], rows: number): Uint8Array[] {
    const type = new Struct(this.#schema.fields);
    const children = columns.map((data) => makeData({ type: new Float64(), length: rows, data }));
    this.#begun().write(new RecordBatch(this.#schema, makeData({ type, length: rows, children })));
    return this.#sink.collect();
  }

  /** Ends a stream; the next batch begins another. */
  end(): Uint8Array[] {
    // Of a stream without a batch the library's reader does not notice the end before the pipe's.
    const batch =
      this.#writer === null
        ? this.batch(
            this.#schema.fields.map(() => new Float64Array(0)),
            0,
          )
        : [];
    this.#begun().reset(this.#sink);
    this.#writer = null;
    return [...batch, ...this.#sink.collect()];
  }

  #begun(): RecordBatchStreamWriter {
    this.#writer ??= new RecordBatchStreamWriter({ autoDestroy: false }).reset(this.#sink, this.#schema);
    return this.#writer;
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
