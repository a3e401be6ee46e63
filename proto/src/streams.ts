import type { EventEmitter } from "node:events";

/** A peer that takes or gives nothing for so long has stalled: what it holds is let go. A chunk of 1 MiB in that time is 70 kbit/s. */
export const stallMs = 120_000;

/**
 * Waits until a stream takes more after `write` returned false.
 * @param timeoutMs - how long; for ever if left out
 * @returns false when the stream ended instead, or the time is over: there is nothing more to send
 */
export function awaitDrain(stream: EventEmitter, timeoutMs?: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(false), timeoutMs);
    const settle = (drained: boolean) => {
      clearTimeout(timer);
      stream.off("drain", onDrain);
      stream.off("error", onEnd);
      stream.off("close", onEnd);
      stream.off("cancelled", onEnd);
      resolve(drained);
    };
    const onDrain = () => settle(true);
    const onEnd = () => settle(false);
    stream.on("drain", onDrain);
    stream.on("error", onEnd);
    stream.on("close", onEnd);
    stream.on("cancelled", onEnd);
  });
}

/**
 * The next message of a stream.
 * @throws what `late` makes when none comes within `timeoutMs`; the stream is then of no more use
 */
export async function nextWithin<T>(
  stream: AsyncIterator<T>,
  timeoutMs: number,
  late: () => Error,
): Promise<IteratorResult<T>> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  try {
    return await Promise.race([stream.next(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
