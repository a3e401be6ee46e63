import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { writeInPieces } from "./smallWrites.js";

/** Keeps what it was written, and how much of it at once. */
class Kept extends Writable {
  readonly pieces: Buffer[] = [];
  readonly sizes: number[] = [];
  failAt = Number.POSITIVE_INFINITY;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#keep([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#keep(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  #keep(chunks: readonly Buffer[], done: (error?: Error | null) => void): void {
    this.pieces.push(...chunks);
    this.sizes.push(chunks.reduce((bytes, chunk) => bytes + chunk.length, 0));
    setImmediate(done, this.sizes.length >= this.failAt ? new Error("the peer has gone") : null);
  }
}

const write = (stream: Writable, chunk: Buffer) =>
  new Promise<Error | null>((resolve) => stream.write(chunk, (error) => resolve(error ?? null)));

it("writes the same bytes, no more at once than may be, and small ones together", async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lengths, async (each) => {
      const stream = new Kept();
      writeInPieces(stream, 64);
      const chunks = each.map((length) => randomBytes(length));
      await Promise.all(chunks.map((chunk) => write(stream, chunk)));
      expect(Buffer.concat(stream.pieces).equals(Buffer.concat(chunks))).toBe(true);
      expect(Math.max(...stream.sizes)).toBeLessThanOrEqual(64);
    }),
    { numRuns: 50 },
  );
  const stream = new Kept();
  writeInPieces(stream, 64);
  await Promise.all(Array.from({ length: 4 }, () => write(stream, Buffer.alloc(10))));
  // The first is written at once, the others wait for it.
  expect(stream.sizes).toEqual([10, 30]);
});

it("says once that a piece could not be written, and writes no further one", async () => {
  const stream = new Kept();
  stream.on("error", () => undefined);
  stream.failAt = 2;
  writeInPieces(stream, 64);
  const failures = await Promise.all([write(stream, Buffer.alloc(300)), write(stream, Buffer.alloc(300))]);
  expect(failures.map((error) => error?.message)).toEqual(["the peer has gone", "the peer has gone"]);
  expect(stream.sizes).toEqual([64, 64]);
});
