import type { EventEmitter } from "node:events";

/**
 * A peer without progress for this long has stalled, and its resources are released. A chunk of 1 MiB in that time is
 * 70 kbit/s.
 */
export const stallMs = 120_000;

/**
 * Waits until a stream takes more after `write` returned false.
 * @param timeoutMs - the timeout; none by default
 * @returns false if the stream ended or the time is over
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
 * @throws the error from `late` if none arrives within `timeoutMs`; the stream is then unusable
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
