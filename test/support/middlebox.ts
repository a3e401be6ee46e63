/** A TCP middlebox on loopback, with the habits of the ones between hospitals and the world. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  lastAt: number;
  /** Nothing goes through any more, and neither end is told. */
  forgotten: boolean;
}

export class Middlebox {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #pairs = new Set<Pair>();
  #isDown = false;
  #idleMs: number;
  /** Connections that were accepted and carried something. */
  connections = 0;
  /** Connections that were forgotten, for being idle or by `forgetAll`. */
  forgotten = 0;

  private constructor(targetPort: number, idleMs: number) {
    this.#targetPort = targetPort;
    this.#idleMs = idleMs;
    this.#server = createServer((near) => this.#forward(near));
  }

  /** @param idleMs - a connection without a byte for so long is forgotten silently, as load balancers do */
  static async start(targetPort: number, idleMs = Number.POSITIVE_INFINITY): Promise<Middlebox> {
    const box = new Middlebox(targetPort, idleMs);
    box.#server.listen(0, "127.0.0.1");
    await once(box.#server, "listening");
    return box;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For connections from now on, and those there are. */
  set idleMs(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** The link is cut: what is there ends, and what comes is refused. */
  down(): void {
    this.#isDown = true;
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  up(): void {
    this.#isDown = false;
  }

  /** Half-open: the connections that there are stay for both ends, and carry nothing any more. New ones work. */
  forgetAll(): void {
    for (const pair of this.#pairs) this.#forget(pair);
  }

  async close(): Promise<void> {
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    this.#server.close();
    await once(this.#server, "close");
  }

  #forget(pair: Pair): void {
    if (!pair.forgotten) this.forgotten++;
    pair.forgotten = true;
  }

  #forward(near: Socket): void {
    if (this.#isDown) {
      near.on("error", () => undefined);
      near.resetAndDestroy();
      return;
    }
    const far = connect(this.#targetPort, "127.0.0.1");
    const pair: Pair = { near, far, lastAt: Date.now(), forgotten: false };
    this.#pairs.add(pair);
    this.connections++;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on("error", () => undefined);
      from.on("close", () => {
        this.#pairs.delete(pair);
        // The other end of a forgotten connection never hears that this one ended.
        if (!pair.forgotten) to.destroy();
      });
      from.on("data", (part) => {
        const now = Date.now();
        if (now - pair.lastAt > this.#idleMs) this.#forget(pair);
        pair.lastAt = now;
        if (!pair.forgotten && !to.write(part)) from.pause();
      });
      to.on("drain", () => from.resume());
    }
  }
}
