import { Socket } from "node:net";
import { ByteReader, PipeEnded } from "../byteReader.js";
import { PipeWriter } from "../pipeWriter.js";
import {
  encodeReaderLine,
  type PassCommand,
  peerDescriptor,
  type ReaderJob,
  readCommand,
  workerDescriptor,
} from "./protocol.js";
import { type OpenShare, Reader } from "./reader.js";

/**
 * Reads a share of a table and writes its cells to a fold worker, over pipes that it was started with, until the agent ends it. It
 * writes no file and says nothing on standard error. `scripts/foldWorker.mjs` makes one file of each program that calls it.
 */
export async function run(open: OpenShare): Promise<never> {
  const input = new ByteReader(process.stdin);
  const output = new PipeWriter(process.stdout);
  /** Ends with the agent: then its input ends, whatever happens meanwhile. */
  const command = <Command extends ReaderJob | PassCommand>() =>
    readCommand<Command>(input).catch((thrown: unknown) => process.exit(thrown instanceof PipeEnded ? 0 : 1));
  const job = await command<ReaderJob>();
  const descriptor = (fd: number, readable: boolean) =>
    new Socket({ fd, readable, writable: true, allowHalfOpen: true });
  const reader = new Reader(job, open, {
    worker: job.feeds ? new PipeWriter(descriptor(workerDescriptor, false)) : null,
    peers: Array.from({ length: job.count }, (_, peer) => {
      if (peer === job.own || job.patients === null) return null;
      const socket = descriptor(peerDescriptor(job.own, peer), true);
      return { to: new PipeWriter(socket), from: new ByteReader(socket) };
    }),
    say: (line) => output.send([encodeReaderLine(line)]),
  });
  for (let next = command<PassCommand>(); ; ) {
    const pass = await next;
    // Asked for at once, so that the agent's end is noticed during the pass.
    next = command<PassCommand>();
    if (!(await reader.pass(pass))) break;
  }
  await output.flush();
  return process.exit(1);
}
