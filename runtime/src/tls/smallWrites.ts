import type { ServerHttp2Stream } from "node:http2";

/**
 * Bytes that are written to a connection at once at most. Node's TLS keeps for each connection, until it closes, a buffer as
 * large as its largest write: with a thousand sites, each of which was sent a list of all of them, that was 2 GiB.
 */
export const writeMost = 64 * 1024;

type Written = (error?: Error | null) => void;

/** The parts of Node's writable streams that a stream's own class implements. */
interface Sink {
  _write(chunk: Buffer, encoding: BufferEncoding, written: Written): void;
  _writev(chunks: { readonly chunk: Buffer; readonly encoding: BufferEncoding }[], written: Written): void;
}

/** Has a stream of a server write in pieces, each after the one before it. The bytes are the same. */
export function writeInPieces(stream: Pick<ServerHttp2Stream, "writable">, most = writeMost): void {
  const sink = stream as unknown as Sink;
  const write = sink._write.bind(stream);
  const writeTogether = sink._writev.bind(stream);
  sink._write = (chunk, encoding, written) => {
    const writeFrom = (from: number): void => {
      const end = from + most;
      const piece = chunk.subarray(from, end);
      if (end >= chunk.length) write(piece, encoding, written);
      else write(piece, encoding, (error) => (error ? written(error) : writeFrom(end)));
    };
    writeFrom(0);
  };
  sink._writev = (chunks, written) => {
    if (chunks.reduce((bytes, { chunk }) => bytes + chunk.length, 0) <= most) {
      writeTogether(chunks, written);
      return;
    }
    const writeChunk = (i: number): void => {
      const { chunk, encoding } = chunks[i]!;
      const next: Written = (error) =>
        error || i + 1 === chunks.length ? written(error) : writeChunk(i + 1);
      sink._write(chunk, encoding, next);
    };
    writeChunk(0);
  };
}
