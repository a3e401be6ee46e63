/** An aggregator that answers doctors, and servers with the faults that ways have. Not part of any process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { protocolVersions } from "@consilium/core/limits";
import type { CheckReply } from "@consilium/proto/generated/consilium/v1/CheckReply";
import type { CheckRequest__Output } from "@consilium/proto/generated/consilium/v1/CheckRequest";
import { Federation } from "@consilium/proto/load";
import type { Server, ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import type { RevocationList } from "../../src/identity/revoked.js";
import { closeGrpc, createGrpcServer, listenGrpc } from "../../src/tls/grpcServer.js";
import { peerOf } from "../../src/tls/peer.js";
import { MutualTlsServerCredentials } from "../../src/tls/serverCredentials.js";
import type { TestLeaf } from "../identity/federation.js";
import { listenOnLoopback } from "../network/listener.js";
import type { KeyAndCertificate } from "../network/proxy.js";

export interface PlayedAggregator {
  readonly port: number;
  /** What it says in place of the truth. */
  says: { nowMs?: number; lowest?: number; highest?: number };
  revocations: RevocationList | undefined;
  close(): Promise<void>;
}

/** @param knowsCheck - false plays a version that has no such method */
export async function playAggregator(
  leaf: TestLeaf,
  rootPem: string,
  knowsCheck = true,
): Promise<PlayedAggregator> {
  const server: Server = createGrpcServer();
  const played: PlayedAggregator = {
    port: 0,
    says: {},
    revocations: undefined,
    close: () => closeGrpc(server, 200),
  };
  const trust = { rootPem, now: Date.now, revocations: () => played.revocations };
  const Check = (
    call: ServerUnaryCall<CheckRequest__Output, CheckReply>,
    callback: sendUnaryData<CheckReply>,
  ) => {
    const peer = peerOf(call, trust, { role: "site" });
    const {
      nowMs = Date.now(),
      lowest = protocolVersions.lowest,
      highest = protocolVersions.highest,
    } = played.says;
    callback(null, {
      nowMs,
      versions: { lowest, highest, software: peer.ok ? "0.1.0" : "" },
      certificateCode: peer.ok ? "" : peer.error.code,
      certificateMessage: peer.ok ? "" : peer.error.message,
    });
  };
  server.addService(Federation.service, knowsCheck ? { Check } : {});
  const credentials = new MutualTlsServerCredentials({ ...leaf, chainPem: leaf.chainPem + rootPem, rootPem });
  const port = await listenGrpc(server, { host: "127.0.0.1", port: 0 }, credentials);
  return Object.assign(played, { port });
}

export interface Faulty {
  readonly port: number;
  close(): Promise<void> | void;
}

/** Agrees to HTTP/2 under a certificate of the federation, and then does `then` with what comes. */
export function playTlsThen(own: KeyAndCertificate, then: (socket: TLSSocket) => void): Promise<Faulty> {
  const server = createTlsServer({ ...own, ALPNProtocols: ["h2"] }, (socket) => {
    socket.on("error", () => undefined);
    then(socket);
  });
  server.on("tlsClientError", () => undefined);
  return listenOnLoopback(server);
}

/** A gateway that opens TLS, and speaks no newer one than 1.2. */
export function playOldGateway(own: KeyAndCertificate): Promise<Faulty> {
  const server = createTlsServer({ ...own, minVersion: "TLSv1.2", maxVersion: "TLSv1.2" });
  server.on("tlsClientError", () => undefined);
  return listenOnLoopback(server);
}

/** Resets connections whose first bytes match, passes others on: a firewall that looks into the TLS handshake. */
export function playInspector(targetPort: number, forbids: (firstBytes: Buffer) => boolean): Promise<Faulty> {
  return listenOnLoopback(
    createServer((near) => {
      near.once("data", (first) => {
        if (forbids(first)) {
          near.resetAndDestroy();
          return;
        }
        const far = connect(targetPort, "127.0.0.1");
        far.on("error", () => near.destroy());
        far.write(first);
        near.pipe(far).pipe(near);
      });
    }),
  );
}

/** Answers TLS with plain HTTP. */
export function playPlainHttp(): Promise<Faulty> {
  return listenOnLoopback(createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
}

/**
 * A port on which the kernel drops whatever comes, as a firewall does that tells nobody: a process that listens with
 * room for one, stands still, and has its queue full.
 */
export async function playDroppedPort(): Promise<Faulty> {
  const program = `require("net").createServer(() => {}).listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () {
    process.stdout.write(String(this.address().port) + "\\n");
  });`;
  const child: ChildProcess = spawn(process.execPath, ["-e", program], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  const port = Number(line.toString().trim());
  process.kill(child.pid!, "SIGSTOP");
  const waiting = Array.from({ length: 4 }, () => connect(port, "127.0.0.1"));
  for (const socket of waiting) socket.on("error", () => undefined);
  // The queue is full when a further connection is not made.
  await new Promise((resolve) => setTimeout(resolve, 300));
  return {
    port,
    async close() {
      for (const socket of waiting) socket.destroy();
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
