import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Server } from "@grpc/grpc-js";
import { fault } from "../fault.js";
import { isMember, type PeerTrust } from "./peer.js";

/** A gRPC server's connection limits, and the distinction of members and strangers. */
export interface ConnectionLimits {
  readonly trust: PeerTrust;
  /** Of members and strangers together. */
  readonly total?: number;
  /** Connections without a valid certificate of the federation, those included whose handshake is under way. */
  readonly strangers?: number;
  /** A connection without a call is closed after this; left out, after a minute. */
  readonly idleMs?: number;
  /** A connection was closed because there were too many. */
  readonly onClosed?: () => void;
}

const defaultTotal = 2_000;
/** A hospital is a stranger while it enrols, and each connection is one until its handshake is over. */
const defaultStrangers = 256;

/** The private parts of grpc-js 1.14.7's Server that are touched here. */
interface ServerInternals {
  createHttp2Server(credentials: unknown): EventEmitter;
}

/**
 * Bounds the connections of a gRPC server. To be called before `bindAsync`.
 *
 * Over a limit the oldest stranger is closed instead of the new connection: a site needs a moment to present its
 * certificate, and an attacker holding all slots would lock out every site.
 *
 * @throws ConsiliumError INTERNAL if the installed grpc-js no longer has the part that is patched
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const internals = server as unknown as Partial<ServerInternals>;
  const { createHttp2Server } = internals;
  if (typeof createHttp2Server !== "function") {
    throw fault("INTERNAL", "grpc.other-version", {});
  }
  const gate = new ConnectionGate(limits);
  internals.createHttp2Server = (credentials) => {
    const http2Server = createHttp2Server.call(server, credentials);
    http2Server.on("connection", (socket: Socket) => gate.came(socket));
    http2Server.on("secureConnection", (socket: TLSSocket) => gate.shookHands(socket));
    return http2Server;
  };
}

class ConnectionGate {
  readonly #trust: PeerTrust;
  readonly #total: number;
  readonly #most: number;
  readonly #onClosed: () => void;
  readonly #open = new Set<Socket>();
  /** By the other end's address and port, in the order in which they came. */
  readonly #strangers = new Map<string, Socket>();

  constructor({ trust, total, strangers, onClosed }: ConnectionLimits) {
    this.#trust = trust;
    this.#total = total ?? defaultTotal;
    this.#most = strangers ?? defaultStrangers;
    this.#onClosed = onClosed ?? (() => undefined);
  }

  came(socket: Socket): void {
    const key = keyOf(socket);
    this.#open.add(socket);
    this.#strangers.set(key, socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      if (this.#strangers.get(key) === socket) this.#strangers.delete(key);
    });
    if (this.#strangers.size > this.#most || this.#open.size > this.#total) this.#closeOldest();
  }

  /** A socket of TLS has the address and port of the connection below it. */
  shookHands(socket: TLSSocket): void {
    if (isMember(socket, this.#trust)) this.#strangers.delete(keyOf(socket));
  }

  #closeOldest(): void {
    const [oldest] = this.#strangers;
    if (oldest === undefined) return;
    const [key, socket] = oldest;
    this.#strangers.delete(key);
    // It says that it is closed a turn later, when others may have come.
    this.#open.delete(socket);
    socket.destroy();
    this.#onClosed();
  }
}

function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
