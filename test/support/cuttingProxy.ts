/** A TCP proxy on loopback that counts and slows what a site sends, and cuts or holds its connection at a chosen byte. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class CuttingProxy {
  readonly #server: Server;
  readonly #bytesPerSecond: number;
  readonly #sockets = new Set<Socket>();
  /** Bytes of each connection towards the target, in the order of the connections. */
  readonly sentBytes: number[] = [];
  #cutAfterBytes = Number.POSITIVE_INFINITY;
  #holdAfterBytes = Number.POSITIVE_INFINITY;
  #onHeld: () => void = () => undefined;
  cuts = 0;

  private constructor(targetPort: number, bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#server = createServer((near) => this.#forward(near, connect(targetPort, "127.0.0.1")));
  }

  /** @param bytesPerSecond - at most, of each connection towards the target, so that what is counted soon arrives */
  static async start(targetPort: number, bytesPerSecond: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(targetPort, bytesPerSecond);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get totalBytes(): number {
    return this.sentBytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Cuts, once, the connection that next comes to have sent so many bytes from now on, all connections together. */
  cutAfter(bytes: number): void {
    this.#cutAfterBytes = this.totalBytes + bytes;
  }

  /** As `cutAfter`, but the connection stays and nothing more goes through. @returns when it has come to that */
  holdAfter(bytes: number): Promise<void> {
    this.#holdAfterBytes = this.totalBytes + bytes;
    return new Promise((resolve) => {
      this.#onHeld = resolve;
    });
  }

  /** Connections that were held stay so; new ones go through. */
  release(): void {
    this.#holdAfterBytes = Number.POSITIVE_INFINITY;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #forward(near: Socket, far: Socket): void {
    const index = this.sentBytes.push(0) - 1;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    far.on("data", (part) => {
      if (!near.write(part)) far.pause();
    });
    near.on("drain", () => far.resume());
    near.on("data", (part) => {
      this.sentBytes[index]! += part.length;
      if (this.totalBytes >= this.#cutAfterBytes) {
        this.#cutAfterBytes = Number.POSITIVE_INFINITY;
        this.cuts++;
        near.destroy();
        far.destroy();
        return;
      }
      near.pause();
      if (this.totalBytes >= this.#holdAfterBytes) {
        this.#onHeld();
        return;
      }
      const taken = far.write(part);
      setTimeout(
        () => {
          if (taken || far.writableLength === 0) near.resume();
          else far.once("drain", () => near.resume());
        },
        (part.length * 1000) / this.#bytesPerSecond,
      );
    });
  }
}
