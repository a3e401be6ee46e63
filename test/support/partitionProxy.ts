/** A TCP proxy on loopback that a test can cut off: nothing passes, and nobody is told. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class PartitionProxy {
  readonly #server: Server;
  readonly #targetPort: () => number;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(targetPort: () => number) {
    this.#targetPort = targetPort;
    this.#server = createServer((near) => this.#forward(near));
  }

  /** @param targetPort - asked for each connection: of a server that is not there yet */
  static async start(targetPort: () => number): Promise<PartitionProxy> {
    const proxy = new PartitionProxy(targetPort);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on bytes and ends of connections are held, in both directions; new connections are taken, and held. */
  cut(): void {
    this.#isCut = true;
  }

  /** New connections pass again. What was held is thrown away. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #forward(near: Socket): void {
    this.#keep(near);
    if (this.#isCut) return;
    const far = connect({ port: this.#targetPort(), host: "127.0.0.1", allowHalfOpen: true });
    this.#keep(far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (part) => {
        if (!this.#isCut) to.write(part);
      });
      from.on("close", () => {
        if (!this.#isCut) to.destroy();
      });
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
