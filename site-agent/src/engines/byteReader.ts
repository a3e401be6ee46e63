/** Reads a pipe piece by piece: so many bytes, a line, or what is left. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Read and not taken yet. */
  #pending: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** @throws PipeEnded where there are fewer */
  async exactly(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; ) {
      if (this.#pending.length === 0) await this.#more();
      const taken = this.#pending.subarray(0, count - at);
      bytes.set(taken, at);
      at += taken.length;
      this.#pending = this.#pending.subarray(taken.length);
    }
    return bytes;
  }

  /**
   * Up to the next line feed, without it.
   * @throws PipeEnded where there is none
   * @throws RangeError for a line of more than `most` bytes
   */
  async line(most: number): Promise<string> {
    const parts: Uint8Array[] = [];
    for (let length = 0; ; ) {
      if (this.#pending.length === 0) await this.#more();
      const end = this.#pending.indexOf(lineFeed);
      const part = end === -1 ? this.#pending : this.#pending.subarray(0, end);
      parts.push(part);
      length += part.length;
      if (length > most) throw new RangeError(`a line has more than ${most} bytes`);
      this.#pending = this.#pending.subarray(end === -1 ? part.length : end + 1);
      if (end !== -1) return Buffer.concat(parts).toString("utf8");
    }
  }

  /** What follows, as it comes. */
  async *rest(): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#pending.length > 0) {
        const bytes = this.#pending;
        this.#pending = new Uint8Array(0);
        yield bytes;
      }
      const next = await this.#source.next();
      if (next.done === true) return;
      this.#pending = next.value;
    }
  }

  async #more(): Promise<void> {
    const next = await this.#source.next();
    if (next.done === true) throw new PipeEnded();
    this.#pending = next.value;
  }
}

const lineFeed = 10;

/** The other process ended, or closed its end, in the middle of what it had to say. */
export class PipeEnded extends Error {
  override readonly name = "PipeEnded";

  constructor() {
    super("the pipe ended early");
  }
}
