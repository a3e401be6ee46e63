/** A TCP proxy on loopback that delays every byte, for tests of what a long way does. Not part of any process. */
import { connect, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Listening, listenOnLoopback } from "../network/listener.js";

/**
 * Forwards connections to a port on loopback, each byte so many milliseconds later, in both directions, without limiting
 * the bandwidth: the round trip grows by twice the delay.
 * @param delayMs - a function may only grow: of two bytes the later one would overtake
 */
export async function startDelayingProxy(
  targetPort: number,
  delayMs: number | (() => number),
): Promise<Listening> {
  const delayOf = typeof delayMs === "number" ? () => delayMs : delayMs;
  const sockets = new Set<Duplex>();
  const forward = (from: Socket, to: Socket) => {
    from.on("data", (chunk) => {
      const ms = delayOf();
      const write = () => to.writable && to.write(chunk);
      // A timer takes a millisecond at least.
      if (ms > 0) setTimeout(write, ms);
      else write();
    });
    from.on("end", () => setTimeout(() => to.end(), delayOf()));
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from));
    sockets.add(from);
    from.setNoDelay(true);
  };
  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    forward(near, far);
    forward(far, near);
  });
  return listenOnLoopback(server, sockets);
}
