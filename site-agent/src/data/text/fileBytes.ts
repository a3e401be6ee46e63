import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { ConsiliumError } from "@consilium/core/errors";
import type { AnySaid } from "@consilium/words/said";
import { codeOf, fault, isAway } from "../fault.js";
import type { Encoding } from "./characters.js";
import { toUtf8 } from "./characters.js";

/** Bytes that are asked of a file at a time. */
const pieceBytes = 2 ** 18;

export interface TextFile {
  readonly file: string;
  readonly encoding?: Encoding | undefined;
  /** Whether the file begins with something else than a record: see `toUtf8`. */
  readonly hasHeader: boolean;
  /** The table and file, for messages. */
  readonly place: AnySaid;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A file's text as UTF-8, unpacked where its name ends in `.gz`; each piece is valid until the next one is asked for.
 * @throws ConsiliumError TABLE_AWAY for a file that the system refuses, or that is packed and not complete; TABLE_UNREADABLE for one that is
 *   not packed at all
 */
export async function* fileText(text: TextFile): AsyncGenerator<Uint8Array> {
  const { file, place, signal } = text;
  signal?.throwIfAborted();
  const decoder = toUtf8(text.encoding, text.hasHeader);
  const bytes = /\.gz$/i.test(file) ? unpacked(file) : readAhead(file);
  try {
    for await (const piece of bytes) {
      signal?.throwIfAborted();
      yield decoder.piece(piece);
    }
    yield decoder.end();
  } catch (thrown) {
    signal?.throwIfAborted();
    throw faultOf(thrown, place);
  }
}

function unpacked(file: string): AsyncIterable<Uint8Array> {
  const packed = createReadStream(file, { highWaterMark: pieceBytes });
  // The pipeline's own callback does nothing: a fault of either stream ends the loop.
  return pipeline(packed, createGunzip({ chunkSize: pieceBytes }), () => undefined);
}

/** While one piece is taken apart the next one is read, into the other of two buffers. */
async function* readAhead(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file);
  const read = (buffer: Buffer) => {
    const reading = handle.read(buffer, 0, pieceBytes);
    // Nobody waits for it once the loop has ended.
    reading.catch(() => undefined);
    return reading;
  };
  let other: Buffer = Buffer.alloc(pieceBytes);
  let next = read(Buffer.alloc(pieceBytes));
  try {
    for (;;) {
      const { bytesRead, buffer } = await next;
      if (bytesRead === 0) return;
      next = read(other);
      other = buffer;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    // After what is being read.
    await handle.close();
  }
}

function faultOf(thrown: unknown, place: AnySaid): unknown {
  const code = codeOf(thrown);
  const whole = "source.copy-whole";
  // Of a share that is copied to, or a disk that is full: no record can bring it about, since records are packed as they are.
  if (code === "Z_BUF_ERROR") return fault("TABLE_AWAY", "source.end-missing", { place }, whole);
  if (code === "Z_DATA_ERROR" && (thrown as Error).message !== "incorrect header check")
    return fault("TABLE_AWAY", "source.checksum", { place }, whole);
  if (code === "Z_DATA_ERROR") return fault("TABLE_UNREADABLE", "source.not-packed", { place });
  if (code === null || thrown instanceof ConsiliumError) return thrown;
  return fault(isAway(thrown) ? "TABLE_AWAY" : "TABLE_UNREADABLE", "source.unreadable", { place, code });
}
