/** The sending end of a bare stream: one site's bytes, in the pieces that the product sends. */
import { once } from "node:events";
import { maxChunkBytes } from "@consilium/core/limits";
import { clientChannel } from "@consilium/runtime/tls/clientCredentials";
import { Client } from "@grpc/grpc-js";
import { addend, type FromClient, service, type ToClient, wordBytes } from "./bareStreamWire.js";

const say = (message: FromClient): void => void process.send!(message);
const { path, requestSerialize, responseDeserialize } = service.upload;

let client: Client;
let bytes = Buffer.alloc(0);

function upload(): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = client.makeClientStreamRequest<Buffer, Buffer>(
      path,
      requestSerialize,
      responseDeserialize,
      (error) => (error === null ? resolve() : reject(error)),
    );
    const write = async () => {
      for (let at = 0; at < bytes.length; at += maxChunkBytes)
        if (!call.write(bytes.subarray(at, at + maxChunkBytes))) await once(call, "drain");
      call.end();
    };
    write().catch(reject);
  });
}

async function answer(message: ToClient): Promise<void> {
  switch (message.kind) {
    case "connect": {
      const { identity, port } = message;
      const channel = clientChannel(
        { host: "127.0.0.1", port },
        { identity, rootPem: identity.rootPem, serverRole: "aggregator" },
      );
      client = new Client(channel.target, channel.credentials, channel.options);
      await new Promise<void>((resolve, reject) => {
        client.waitForReady(Date.now() + 60_000, (error) =>
          error === undefined ? resolve() : reject(error),
        );
      });
      return say({ kind: "ready" });
    }
    case "prepare": {
      const words = new BigUint64Array(Math.ceil(message.bytes / wordBytes)).fill(addend);
      bytes = Buffer.from(words.buffer, 0, message.bytes);
      return say({ kind: "ready" });
    }
    case "go":
      return upload();
  }
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToClient) => {
  answer(message).catch((thrown: unknown) => {
    console.error(thrown);
    process.exit(1);
  });
});
