import { createServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, createServer as createTlsServer, TLSSocket } from "node:tls";
import { keepSocket, type Listening, listenOnLoopback } from "./listener.js";

export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

export interface PlayedProxyOptions {
  /** Tunnels are for those who give these. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Of Proxy-Authenticate; `Basic realm="web"` by default. */
  readonly challenge?: string;
  /** Every tunnel is refused with this status. */
  readonly refuse?: number;
  /** No tunnel is ever answered. */
  readonly isSilent?: boolean;
  /** The proxy itself is spoken to by TLS. */
  readonly tls?: KeyAndCertificate;
  /** Opens the TLS of each tunnel with this, and speaks TLS of its own to the target. */
  readonly intercept?: KeyAndCertificate;
}

function join(sockets: Set<Duplex>, near: Duplex, far: Duplex): void {
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    keepSocket(sockets, from);
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
}

/** A proxy that opens tunnels by CONNECT, with the faults that such proxies have. */
export class PlayedProxy {
  readonly #sockets: Set<Duplex>;
  readonly #listening: Listening;
  readonly url: string;
  /** `host:port` of each tunnel that was opened. */
  readonly tunnels: string[];

  private constructor(sockets: Set<Duplex>, listening: Listening, url: string, tunnels: string[]) {
    this.#sockets = sockets;
    this.#listening = listening;
    this.url = url;
    this.tunnels = tunnels;
  }

  static async start(options: PlayedProxyOptions = {}): Promise<PlayedProxy> {
    const sockets = new Set<Duplex>();
    const tunnels: string[] = [];
    const server = options.tls === undefined ? createServer() : createHttpsServer(options.tls);
    server.on("connect", (request: IncomingMessage, near: Duplex) => {
      keepSocket(sockets, near);
      if (options.isSilent) return;
      const refusal = refusalOf(request, options);
      if (refusal !== null) {
        near.end(refusal);
        return;
      }
      const target = request.url!;
      tunnels.push(target);
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      const { host, port } = splitTarget(target);
      if (options.intercept === undefined) {
        const far = connect(port, host);
        join(sockets, near, far);
        return;
      }
      const opened = new TLSSocket(near as Socket, {
        isServer: true,
        ...options.intercept,
        ALPNProtocols: ["h2"],
      });
      const far = connectTls({ port, host, ALPNProtocols: ["h2"], rejectUnauthorized: false });
      join(sockets, opened, far);
    });
    const listening = await listenOnLoopback(server, sockets);
    const scheme = options.tls === undefined ? "http" : "https";
    return new PlayedProxy(sockets, listening, `${scheme}://127.0.0.1:${listening.port}`, tunnels);
  }

  get port(): number {
    return this.#listening.port;
  }

  /** Cuts every connection through it. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): Promise<void> {
    return this.#listening.close();
  }
}

function refusalOf(request: IncomingMessage, options: PlayedProxyOptions): string | null {
  if (options.refuse !== undefined) return `HTTP/1.1 ${options.refuse} No\r\ncontent-length: 0\r\n\r\n`;
  if (options.credentials === undefined) return null;
  const { username, password } = options.credentials;
  const wanted = `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
  if (request.headers["proxy-authorization"] === wanted) return null;
  const challenge = options.challenge ?? 'Basic realm="web"';
  return `HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: ${challenge}\r\ncontent-length: 0\r\n\r\n`;
}

function splitTarget(target: string): { host: string; port: number } {
  const at = target.lastIndexOf(":");
  return { host: target.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port: Number(target.slice(at + 1)) };
}

/**
 * Ends TLS with a certificate of its own and begins another to the target: a gateway that opens TLS without being asked,
 * or a load balancer that speaks HTTP/1.1 only.
 * @param protocols - that it agrees to (ALPN); none at all where the list is empty
 */
export async function startTlsTerminator(
  targetPort: number,
  own: KeyAndCertificate,
  protocols: readonly string[] = ["h2"],
): Promise<Listening> {
  const sockets = new Set<Duplex>();
  const server = createTlsServer({ ...own, ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }) });
  server.on("secureConnection", (near) => {
    const far = connectTls({
      port: targetPort,
      host: "127.0.0.1",
      rejectUnauthorized: false,
      ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }),
    });
    join(sockets, near, far);
  });
  server.on("tlsClientError", () => undefined);
  return listenOnLoopback(server, sockets);
}
