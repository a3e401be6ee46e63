import { once } from "node:events";
import type { ErrorCode } from "@consilium/core/errors";
import { protocolVersions } from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { Chunk__Output } from "@consilium/proto/generated/consilium/v1/Chunk";
import type { EnrollRequest } from "@consilium/proto/generated/consilium/v1/EnrollRequest";
import type { EnrollResponse__Output } from "@consilium/proto/generated/consilium/v1/EnrollResponse";
import type { FederationClient } from "@consilium/proto/generated/consilium/v1/Federation";
import type { FetchRequest } from "@consilium/proto/generated/consilium/v1/FetchRequest";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { Task__Output } from "@consilium/proto/generated/consilium/v1/Task";
import type { UploadReply__Output } from "@consilium/proto/generated/consilium/v1/UploadReply";
import type { UploadRequest } from "@consilium/proto/generated/consilium/v1/UploadRequest";
import { Federation } from "@consilium/proto/load";
import { fromServiceError } from "@consilium/proto/status";
import { parseAddress } from "@consilium/runtime/tls/address";
import { clientChannel } from "@consilium/runtime/tls/clientCredentials";
import { grpcClientOptions } from "@consilium/runtime/tls/grpcOptions";
import { Client, type ClientDuplexStream, type ServiceError } from "@grpc/grpc-js";
import { waitUntil } from "../../scripts/localFederation.js";

const callMs = 20_000;
const big = 64 * 1024 * 1024;

/** How a call ended: the code that the aggregator gave, and its words. */
export interface Ended {
  readonly code: ErrorCode | "OK";
  readonly message: string;
}

const endOf = (thrown: unknown): Ended => {
  const { code, message } = fromServiceError(thrown);
  return { code, message };
};

/** A client of the aggregator that sends what a test wants, with the certificate that it wants, or none. */
export class SiteClient {
  readonly #client: FederationClient;
  readonly #raw: Client;

  constructor(
    address: string,
    rootPem: string,
    identity?: { readonly tlsKeyPem: string; readonly chainPem: string },
  ) {
    const options = {
      ...grpcClientOptions,
      "grpc.use_local_subchannel_pool": 1,
      // Nothing on this side keeps a message small.
      "grpc.max_send_message_length": big,
    };
    const at = unwrap(parseAddress(address));
    const credentials = () => clientChannel(at, { identity, rootPem, serverRole: "aggregator" }).credentials;
    this.#client = new Federation(address, credentials(), options);
    this.#raw = new Client(address, credentials(), options);
  }

  close(): void {
    this.#client.close();
    this.#raw.close();
  }

  enroll(request: EnrollRequest): Promise<Ended & { readonly answer?: EnrollResponse__Output }> {
    return new Promise((resolve) => {
      this.#client.enroll(
        request,
        { deadline: Date.now() + callMs },
        (error: ServiceError | null, answer) => {
          if (error) resolve(endOf(error));
          else resolve({ code: "OK", message: "", ...(answer && { answer }) });
        },
      );
    });
  }

  attend(): Attendance {
    return new Attendance(this.#client.attend());
  }

  /** Sends the parts one after the other, then ends, unless `staysOpen`. */
  async upload(
    method: "sendVector" | "sendRows",
    parts: readonly UploadRequest[],
  ): Promise<Ended & { readonly replies: readonly UploadReply__Output[] }> {
    const call = this.#client[method]();
    const replies: UploadReply__Output[] = [];
    call.on("data", (reply: UploadReply__Output) => replies.push(reply));
    const ended = endWithin(call);
    for (const part of parts) call.write(part);
    call.end();
    return { ...(await ended), replies };
  }

  /** An upload that is begun and then left alone; `hangUp` cuts it off. */
  stalledUpload(parts: readonly UploadRequest[]): { hangUp(): void } {
    const call = this.#client.sendVector();
    call.on("error", () => undefined);
    call.on("data", () => undefined);
    for (const part of parts) call.write(part);
    return { hangUp: () => call.cancel() };
  }

  async fetch(request: FetchRequest): Promise<Ended & { readonly bytes: Buffer }> {
    const call = this.#client.fetchVector(request);
    const chunks: Buffer[] = [];
    call.on("data", (chunk: Chunk__Output) => chunks.push(chunk.data));
    const ended = await endWithin(call);
    return { ...ended, bytes: Buffer.concat(chunks) };
  }

  /** Sends raw bytes where a message is expected. */
  async garbage(method: string, bytes: Buffer): Promise<Ended> {
    const plain = (value: Buffer) => value;
    const path = `/consilium.v1.Federation/${method}`;
    const call = this.#raw.makeBidiStreamRequest(path, plain, plain);
    call.on("data", () => undefined);
    const ended = endWithin(call);
    call.write(bytes);
    call.end();
    return ended;
  }
}

interface Call {
  on(event: string, listener: (value: unknown) => void): unknown;
}

/** A call that the aggregator leaves hanging is a fault of the aggregator's, and is shown as such. */
async function endWithin(call: Call, timeoutMs = 45_000): Promise<Ended> {
  const late = new Error("the aggregator does not end the call");
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), timeoutMs);
  });
  return Promise.race([endOfCall(call), timeout]).finally(() => clearTimeout(timer));
}

function endOfCall(call: Call): Promise<Ended> {
  return new Promise((resolve) => {
    call.on("error", (error) => resolve(endOf(error)));
    call.on("status", (status) => {
      if ((status as { code: number }).code === 0) resolve({ code: "OK", message: "" });
    });
  });
}

/** One control stream. */
export class Attendance {
  readonly #stream: ClientDuplexStream<SiteFrame, AggregatorFrame__Output>;
  readonly frames: AggregatorFrame__Output[] = [];
  /** Settles when the aggregator, or the network, ends the stream. */
  readonly ended: Promise<Ended>;
  isOpen = true;

  constructor(stream: ClientDuplexStream<SiteFrame, AggregatorFrame__Output>) {
    this.#stream = stream;
    stream.on("data", (frame: AggregatorFrame__Output) => this.frames.push(frame));
    this.ended = endOfCall(stream).then((end) => {
      this.isOpen = false;
      return end;
    });
  }

  send(frame: SiteFrame): void {
    this.#stream.write(frame);
  }

  /** Hands on every frame from now on, as it comes. */
  each(take: (frame: AggregatorFrame__Output) => void): this {
    this.#stream.on("data", take);
    return this;
  }

  hello(change: Partial<NonNullable<SiteFrame["hello"]>> = {}): this {
    const versions = { ...protocolVersions, software: "0.1.0" };
    this.send({
      frame: "hello",
      hello: { versions, tables: [], nowMs: Date.now(), instance: Buffer.alloc(16), ...change },
    });
    return this;
  }

  async welcomed(): Promise<this> {
    await this.#await((frame) => frame.frame === "welcome", "a welcome");
    return this;
  }

  /** The task of a step, as soon as it has come. */
  async task(studyId: string, step: string): Promise<Task__Output> {
    const frame = await this.#await(
      ({ task }) => task?.studyId === studyId && task.step === step,
      `the task ${step} of ${studyId}`,
    );
    return frame.task!;
  }

  async invitation(studyId: string) {
    const frame = await this.#await(
      ({ invitation }) => invitation?.studyId === studyId,
      `an invitation to ${studyId}`,
    );
    return frame.invitation!;
  }

  /** Until a heartbeat comes back: everything sent before it has been dealt with. */
  async settled(sequence: number): Promise<void> {
    this.send({ frame: "heartbeat", heartbeat: { sequence } });
    await this.#await(({ heartbeat }) => heartbeat?.sequence === sequence, "the heartbeat's answer");
  }

  async leave(): Promise<void> {
    if (!this.isOpen) return;
    this.#stream.end();
    await Promise.race([this.ended, once(this.#stream, "end")]);
    this.#stream.cancel();
  }

  #await(
    matches: (frame: AggregatorFrame__Output) => boolean,
    what: string,
  ): Promise<AggregatorFrame__Output> {
    return waitUntil(
      async () => {
        const found = this.frames.find(matches);
        if (found === undefined && !this.isOpen) throw new Error(`the stream ended before ${what}`);
        return found ?? null;
      },
      60_000,
      what,
    );
  }
}
