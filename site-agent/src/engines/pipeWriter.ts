import type { Writable } from "node:stream";

/** Bytes that wait for a slow reader of the pipe, before the writer waits too. */
const waitingMost = 4 * 1024 ** 2;

/** Writes to a pipe, piece by piece, and waits while what reads it is slow. What one call sends stays together. */
export class PipeWriter {
  readonly #stream: Writable;
  /** Settled once what was sent last is written, or can no longer be. */
  #written: Promise<void> = Promise.resolve();

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
   * @param bytes - at least one piece
   * @param onWritten - the bytes may be changed again
   */
  async send(bytes: readonly Uint8Array[], onWritten?: () => void): Promise<void> {
    const stream = this.#stream;
    if (!stream.writable) return;
    stream.cork();
    for (const piece of bytes.slice(0, -1)) stream.write(piece);
    // A stream says `drain` only after a write that filled it; the write itself is called back always, also of a stream that is destroyed.
    this.#written = new Promise((resolve) =>
      stream.write(bytes.at(-1)!, () => {
        onWritten?.();
        resolve();
      }),
    );
    stream.uncork();
    if (stream.writableLength >= waitingMost) await this.#written;
  }

  /** Waits until everything is written, or the other end is closed. */
  async flush(): Promise<void> {
    await this.#written;
  }
}
