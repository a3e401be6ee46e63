/**
 * The receiving end of a bare stream: bytes by gRPC with mutual TLS, added as 64-bit words modulo 2^64 as they come. Nothing is
 * signed, masked, stored or checked but the certificates.
 */
import { createGrpcServer, listenGrpc } from "@consilium/runtime/tls/grpcServer";
import { peerOf } from "@consilium/runtime/tls/peer";
import { MutualTlsServerCredentials } from "@consilium/runtime/tls/serverCredentials";
import { type ServerReadableStream, type sendUnaryData, status } from "@grpc/grpc-js";
import {
  type BareStreamIdentity,
  type FromServer,
  service,
  type ToServer,
  wordBytes,
} from "./bareStreamWire.js";

const say = (message: FromServer): void => void process.send!(message);

let words = new BigUint64Array(0);
let expected = 0;

/** The words of a piece of a stream, which begins at a whole word; bytes behind the last whole word count as one more. */
function wordsOf(piece: Buffer): BigUint64Array {
  if (piece.length % wordBytes === 0 && piece.byteOffset % wordBytes === 0)
    return new BigUint64Array(piece.buffer, piece.byteOffset, piece.length / wordBytes);
  const copy = new BigUint64Array(Math.ceil(piece.length / wordBytes));
  new Uint8Array(copy.buffer).set(piece);
  return copy;
}

function add(sum: BigUint64Array, at: number, piece: BigUint64Array): void {
  for (let i = 0; i < piece.length; i++) sum[at + i]! += piece[i]!;
}

async function listen(identity: BareStreamIdentity): Promise<void> {
  const server = createGrpcServer();
  const trust = { rootPem: identity.rootPem, now: Date.now, revocations: () => undefined };
  server.addService(service, {
    async upload(call: ServerReadableStream<Buffer, Buffer>, callback: sendUnaryData<Buffer>) {
      const peer = peerOf(call, trust, { role: "site" });
      if (!peer.ok) return callback({ code: status.UNAUTHENTICATED, details: peer.error.code });
      let received = 0;
      for await (const piece of call as AsyncIterable<Buffer>) {
        add(words, received / wordBytes, wordsOf(piece));
        received += piece.length;
      }
      expected -= 1;
      if (expected === 0) say({ kind: "sum", first: words[0]!.toString(), last: words.at(-1)!.toString() });
      callback(null, Buffer.alloc(0));
    },
  });
  const credentials = new MutualTlsServerCredentials(identity);
  say({ kind: "listening", port: await listenGrpc(server, { host: "127.0.0.1", port: 0 }, credentials) });
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToServer) => {
  if (message.kind === "listen") return void listen(message.identity);
  words = new BigUint64Array(Math.ceil(message.bytes / wordBytes));
  expected = message.sites;
  say({ kind: "ready" });
});
