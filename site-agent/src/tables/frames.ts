import type { Duplex } from "node:stream";
import { deserialize, serialize } from "node:v8";

/**
 * Messages between the agent and the process that reads tables, over a stream: four bytes, the length, and a structured clone of so many
 * bytes. The stream is a pipe where the agent starts the process, and a Unix socket where a door does.
 */

/** Bytes of one message: no part, block or broadcast comes near. */
export const maxMessageBytes = 2 ** 30;
const headBytes = 4;

/** @throws RangeError for a message of more than `maxMessageBytes` */
export function sendMessage(stream: Duplex, message: unknown): void {
  const body = serialize(message);
  if (body.length > maxMessageBytes) throw new RangeError(`a message has ${body.length} bytes`);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(body.length);
  stream.cork();
  stream.write(head);
  stream.write(body);
  stream.uncork();
}

/** Hands on each message that a stream brings; destroys the stream where something else comes. */
export function receiveMessages(stream: Duplex, take: (message: unknown) => void): void {
  const frames = new Frames();
  stream.on("data", (bytes: Buffer) => {
    try {
      frames.add(bytes);
      for (let next = frames.next(); next !== null; next = frames.next()) take(next.message);
    } catch {
      stream.destroy();
    }
  });
}

/** Bytes as they come, and the messages that are whole. */
export class Frames {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;
  #needed = headBytes;

  constructor(maxBytes = maxMessageBytes) {
    this.#maxBytes = maxBytes;
  }

  add(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  /**
   * @returns null until one is whole
   * @throws Error for what is no message, or is too long
   */
  next(): { readonly message: unknown } | null {
    if (this.#length < this.#needed) return null;
    const all = this.rest();
    const length = all.readUInt32BE();
    if (length > this.#maxBytes) throw new RangeError(`a message has ${length} bytes`);
    const end = headBytes + length;
    this.add(all.subarray(all.length < end ? 0 : end));
    this.#needed = all.length < end ? end : headBytes;
    return all.length < end ? null : { message: deserialize(all.subarray(headBytes, end)) };
  }

  /** Takes what no message has taken. */
  rest(): Buffer {
    const all = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return all;
  }
}
