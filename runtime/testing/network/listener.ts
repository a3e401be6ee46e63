/** What listens on a free port of loopback for a test, and ends with all its connections. Not part of any process. */
import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** @param sockets - to be ended with the server: its own connections are added, and others may be */
export async function listenOnLoopback(server: Server, sockets: Set<Duplex> = new Set()): Promise<Listening> {
  server.on("connection", (socket: Socket) => keepSocket(sockets, socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Keeps a socket in the set while it is open; its failure ends nothing else. */
export function keepSocket(sockets: Set<Duplex>, socket: Duplex): void {
  sockets.add(socket);
  socket.on("error", () => undefined);
  socket.on("close", () => sockets.delete(socket));
}
