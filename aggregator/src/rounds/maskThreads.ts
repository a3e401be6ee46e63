import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { faults } from "@consilium/core/fault";
import type { RingVector } from "@consilium/core/fixed-point/ringVector";
import { addMasks, type MaskKey } from "@consilium/secure-sum/masks";
import type { RoundSays } from "@consilium/words/says/rounds";

const fault = faults<RoundSays>();

/** What one thread does. */
export interface MaskTask {
  readonly part: RingVector;
  readonly masks: readonly MaskKey[];
  /** Where the part begins in the whole vector, in bytes. */
  readonly from: number;
}

export interface MaskThreadOptions {
  readonly threads: number;
  /** The built worker; null where the process runs from sources, which no thread of Node can load. */
  readonly worker: URL | null;
  /** For fewer bytes of keystream, all masks together, threads take longer to start than they save. */
  readonly leastBytes: number;
}

const defaults: MaskThreadOptions = {
  threads: Math.min(8, availableParallelism()),
  worker: import.meta.url.endsWith(".js") ? new URL("./maskWorker.js", import.meta.url) : null,
  leastBytes: 256 * 1024 * 1024,
};

/** A part's border: a multiple of the blocks in which masks are added. */
const borderBytes = 64 * 1024;
/** Masks added before other work of this thread gets a turn. */
const masksAtOnce = 8;

/**
 * Adds all keystreams to `sum` in place: each thread to a part of it, so that no thread needs memory beyond its part. What
 * is little work is done here.
 * @throws ConsiliumError INTERNAL when a thread fails; `sum` is invalid then
 */
export async function addMasksInThreads(
  sum: RingVector,
  masks: readonly MaskKey[],
  { threads, worker, leastBytes }: MaskThreadOptions = defaults,
): Promise<void> {
  if (worker === null || threads < 2 || masks.length * sum.byteLength < leastBytes) {
    for (let at = 0; at < masks.length; at += masksAtOnce) {
      addMasks(sum, masks.slice(at, at + masksAtOnce));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return;
  }
  const partBytes = borderBytes * Math.ceil(sum.byteLength / threads / borderBytes);
  const entries = partBytes / sum.BYTES_PER_ELEMENT;
  const starts = Array.from({ length: Math.ceil(sum.byteLength / partBytes) }, (_, i) => i * entries);
  await Promise.all(
    starts.map(async (start) => {
      const part = sum.slice(start, start + entries);
      const done = await inThread(worker, { part, masks, from: start * sum.BYTES_PER_ELEMENT });
      if (sum instanceof Uint32Array) sum.set(done as Uint32Array, start);
      else sum.set(done as BigUint64Array, start);
    }),
  );
}

function inThread(worker: URL, task: MaskTask): Promise<RingVector> {
  return new Promise((resolve, reject) => {
    const failed = (cause?: unknown) => reject(fault("INTERNAL", "round.mask-thread", {}, { cause }));
    const transferList = [task.part.buffer as ArrayBuffer];
    new Worker(worker, { workerData: task, transferList, execArgv: [] })
      .once("message", resolve)
      .once("error", failed)
      .once("exit", () => failed());
  });
}
