/** A gRPC service of raw bytes and its client, for the tests of this folder. Not part of any process. */
import { once } from "node:events";
import {
  Client,
  type ClientUnaryCall,
  type Server,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type ServiceError,
  type sendUnaryData,
} from "@grpc/grpc-js";
import type { Address } from "../../src/tls/address.js";
import { type ClientOptions, clientChannel } from "../../src/tls/clientCredentials.js";
import { type PeerTrust, peerOf } from "../../src/tls/peer.js";

const bytes = (value: Buffer): Buffer => value;
const serializers = {
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
};

const service = {
  whoAmI: { path: "/test.Test/WhoAmI", requestStream: false, responseStream: false, ...serializers },
  upload: { path: "/test.Test/Upload", requestStream: true, responseStream: false, ...serializers },
} satisfies ServiceDefinition;

/** WhoAmI answers `role/id` of its caller or the error's code; Upload answers how many bytes came. */
export function addTestService(server: Server, trust: PeerTrust): void {
  server.addService(service, {
    whoAmI(call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) {
      const peer = peerOf(call, trust);
      callback(null, Buffer.from(peer.ok ? `${peer.value.role}/${peer.value.id}` : peer.error.code));
    },
    async upload(call: ServerReadableStream<Buffer, Buffer>, callback: sendUnaryData<Buffer>) {
      let total = 0;
      for await (const chunk of call) total += (chunk as Buffer).length;
      callback(null, Buffer.from(String(total)));
    },
  });
}

export class TestClient extends Client {
  constructor(address: Address, options: ClientOptions) {
    const channel = clientChannel(address, options);
    super(channel.target, channel.credentials, { ...channel.options, "grpc.use_local_subchannel_pool": 1 });
  }

  /** The server's answer, or a rejection with gRPC's status. */
  whoAmI(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#unary((error, value) => (error ? reject(error) : resolve(String(value))));
    });
  }

  #unary(callback: (error: ServiceError | null, value?: Buffer) => void): ClientUnaryCall {
    const deadline = Date.now() + 5_000;
    return this.makeUnaryRequest("/test.Test/WhoAmI", bytes, bytes, Buffer.alloc(0), { deadline }, callback);
  }

  /** Sends `total` zeros in chunks, obeying backpressure, and returns what the server counted. */
  async upload(total: number, chunkBytes: number): Promise<number> {
    let settle: { resolve: (value: Buffer) => void; reject: (cause: unknown) => void };
    const answer = new Promise<Buffer>((resolve, reject) => {
      settle = { resolve, reject };
    });
    const call = this.makeClientStreamRequest<Buffer, Buffer>(
      "/test.Test/Upload",
      bytes,
      bytes,
      (error, value) => (error ? settle.reject(error) : settle.resolve(value!)),
    );
    const chunk = Buffer.alloc(chunkBytes);
    for (let sent = 0; sent < total; sent += chunkBytes) {
      if (!call.write(chunk.subarray(0, Math.min(chunkBytes, total - sent)))) await once(call, "drain");
    }
    call.end();
    return Number(await answer);
  }
}
