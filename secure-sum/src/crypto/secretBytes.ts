const redacted = "[secret]";

/**
 * Bytes that must not appear in a log, an error or a dump: keys, tokens, seeds. Turning one into text, JSON or
 * an inspection gives `[secret]`; `reveal()` is the one way to the bytes, easy to find in a review.
 * JavaScript promises no wiping: the garbage collector may have copied the bytes.
 */
export class SecretBytes {
  readonly #bytes: Uint8Array;

  /** @param bytes - copied, so that the caller may clear its own */
  constructor(bytes: Uint8Array) {
    this.#bytes = Uint8Array.from(bytes);
  }

  /** The bytes themselves, not a copy: do not keep them longer than the computation needs. */
  reveal(): Uint8Array {
    return this.#bytes;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  [Symbol.toPrimitive](): string {
    return redacted;
  }

  /** What `util.inspect` and `console.log` of Node print. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return redacted;
  }
}
