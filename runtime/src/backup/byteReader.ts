import { ConsiliumError } from "@consilium/core/errors";

/** Reads a stream of chunks by numbers of bytes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes. @throws ConsiliumError BACKUP_INVALID where the stream ends before */
  async read(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of this.parts(length)) parts.push(part);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** So many bytes, in parts as they come. */
  async *parts(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw invalidBackup("it ends too early");
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  /** At most so many bytes; fewer only at the end. */
  async upTo(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) break;
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  /** All that is left, as it comes. */
  async *rest(): AsyncGenerator<Uint8Array> {
    while (this.#rest.length > 0 || (await this.#more())) {
      const part = this.#rest;
      this.#rest = new Uint8Array(0);
      yield part;
    }
  }

  async #more(): Promise<boolean> {
    for (;;) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#rest = next.value;
      if (this.#rest.length > 0) return true;
    }
  }
}

export function invalidBackup(what: string): ConsiliumError {
  return new ConsiliumError("BACKUP_INVALID", `the backup cannot be used: ${what}`);
}
