import type { Writable } from "node:stream";

/** Bytes that wait for a slow reader of the pipe, before the writer waits too. */
const waitingMost = 4 * 1024 ** 2;

/** Writes to a pipe, piece by piece, and waits while what reads it is slow. What one call sends stays together. */
export class PipeWriter {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    // What becomes of the other process shows elsewhere.
    stream.on("error", () => undefined);
  }

  /** Whether the other end may still be read. */
  get isOpen(): boolean {
    return this.#stream.writable;
  }

  /**
   * Does nothing where the other end is closed.
   * @param onWritten - the bytes may be changed again
   */
  async send(bytes: readonly Uint8Array[], onWritten?: () => void): Promise<void> {
    const stream = this.#stream;
    if (!stream.writable) return;
    stream.cork();
    for (const [i, piece] of bytes.entries())
      stream.write(piece, i === bytes.length - 1 ? onWritten : undefined);
    stream.uncork();
    if (stream.writableLength >= waitingMost) await this.#until(waitingMost);
  }

  /** Waits until everything is written, or the other end is closed. */
  async flush(): Promise<void> {
    if (this.#stream.writable && this.#stream.writableLength > 0) await this.#until(1);
  }

  async #until(less: number): Promise<void> {
    const stream = this.#stream;
    while (stream.writable && stream.writableLength >= less)
      await new Promise<void>((resolve) => {
        const done = () => {
          for (const event of ["drain", "close"]) stream.off(event, done);
          resolve();
        };
        for (const event of ["drain", "close"]) stream.on(event, done);
      });
  }
}
