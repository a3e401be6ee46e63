import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import { afterEach, expect, it } from "vitest";
import type { WebProxy } from "./proxy.js";
import { RouteFault } from "./routeFault.js";
import { openRoute } from "./tunnel.js";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A proxy that takes a connection, and drops it while its password is read. */
async function dropping(drop: (socket: Socket) => void): Promise<WebProxy> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  const connection = once(server, "connection") as Promise<[Socket]>;
  const password = async () => {
    const [socket] = await connection;
    const closed = once(socket, "close");
    socket.resume();
    drop(socket);
    await closed;
    // This side hears of it some turns later.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    return new SecretBytes(Buffer.from("secret"));
  };
  const { port } = server.address() as AddressInfo;
  return {
    host: "127.0.0.1",
    port,
    isTls: false,
    source: "proxy",
    caPem: null,
    credentials: { username: "jo", password },
  } as unknown as WebProxy;
}

it.each([
  ["resets", (socket: Socket) => void socket.resetAndDestroy()],
  ["closes", (socket: Socket) => void socket.destroy()],
])("is a fault of the proxy's where it %s the connection while its password is read", async (_, drop) => {
  const proxy = await dropping(drop);
  const unheard: unknown[] = [];
  const hear = (thrown: unknown) => unheard.push(thrown);
  process.on("uncaughtException", hear);
  ends.push(() => process.off("uncaughtException", hear));
  const address = { host: "aggregator.example", port: 7443 };
  const fault = await openRoute(address, { proxy, timeoutMs: 60_000 }).catch((thrown: unknown) => thrown);
  expect(fault).toBeInstanceOf(RouteFault);
  expect(fault).toMatchObject({ stage: "proxy-answer" });
  expect(unheard).toEqual([]);
});
