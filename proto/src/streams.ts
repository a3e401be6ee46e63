import type { EventEmitter } from "node:events";

/**
 * Waits until a stream takes more after `write` returned false.
 * @returns false when the stream ended instead: the peer is gone and there is nothing more to send
 */
export function awaitDrain(stream: EventEmitter): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (drained: boolean) => {
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
