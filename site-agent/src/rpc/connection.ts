import { createReadStream } from "node:fs";
import { type ConsiliumError, type ErrorCode, errorTable, isErrorCode } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { StudyId } from "@consilium/core/ids";
import { maxChunkBytes } from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import type { OutboundFetch, OutboundMessage, OutboundUpload } from "@consilium/gate/door";
import { fieldFault } from "@consilium/proto/fields";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { Chunk__Output } from "@consilium/proto/generated/consilium/v1/Chunk";
import type { FederationClient } from "@consilium/proto/generated/consilium/v1/Federation";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { UploadReply__Output } from "@consilium/proto/generated/consilium/v1/UploadReply";
import { Federation } from "@consilium/proto/load";
import { fromServiceError } from "@consilium/proto/status";
import { awaitDrain, nextWithin, stallMs } from "@consilium/proto/streams";
import type { Identity } from "@consilium/runtime/identity/files";
import { identityFolder } from "@consilium/runtime/identity/files";
import type { RevocationList } from "@consilium/runtime/identity/revoked";
import type { Logger } from "@consilium/runtime/log";
import type { WebProxy } from "@consilium/runtime/network/proxy";
import { RouteFault } from "@consilium/runtime/network/routeFault";
import { parseAddress } from "@consilium/runtime/tls/address";
import { clientChannel } from "@consilium/runtime/tls/clientCredentials";
import type { SiteSays } from "@consilium/words/says/site";
import type { ClientDuplexStream } from "@grpc/grpc-js";
import {
  type AggregatorMessage,
  type RefusedMessage,
  readAggregatorFrame,
  refusedMessage,
} from "./toDomain.js";

const fault = faults<SiteSays>();

/**
 * The only file that opens a connection, and it sends nothing but what the door made. It stays connected: after any
 * failure it dials again, the next of the aggregators where there are several, and the one that is active tells again what
 * it waits for.
 */
interface ConnectionHandlers {
  /** The first frame of a new stream. */
  readonly hello: () => Promise<OutboundMessage>;
  readonly heartbeat: (sequence: number) => OutboundMessage;
  /** A request for a new certificate is about to be sent. */
  readonly renewing: (request: Uint8Array) => void;
  /** Before anything else is heard on a stream, which ends where this throws. */
  readonly welcomed: (welcome: Extract<AggregatorMessage, { kind: "welcome" }>) => void;
  readonly message: (
    message: Exclude<AggregatorMessage, { kind: "welcome" | "heartbeat" | "fault" }>,
  ) => void;
  /** A message that cannot be taken: it is refused alone, and the stream stays. */
  readonly refused: (message: RefusedMessage, fault: ConsiliumError) => void;
  /** The aggregator cannot take a message of this site's about a study: that one is refused alone. */
  readonly refusedThere: (study: StudyId, fault: { readonly code: string; readonly message: string }) => void;
}

interface ConnectionFault {
  readonly code: string;
  readonly message: string;
  /** Where on the way it failed; null where the aggregator answered. */
  readonly route: {
    readonly stage: string;
    readonly reason: string;
    readonly detail: string | null;
    readonly remedy: string;
  } | null;
}

interface ConnectionStatus {
  readonly connected: boolean;
  readonly since: number | null;
  /** The last failure, until the next success. */
  readonly lastFault: ConnectionFault | null;
  readonly aggregatorSoftware: string | null;
}

const firstRetryMs = 500;

interface Patience {
  /** The longest pause before another attempt, where nobody answers. */
  readonly lastRetryMs: number;
  /** A server that does not say welcome in this time is not answering. */
  readonly welcomeMs: number;
  /** Without any frame for so many heartbeats the stream is given up. */
  readonly silentHeartbeats: number;
}
const withOneAggregator: Patience = { lastRetryMs: 10_000, welcomeMs: 15_000, silentHeartbeats: 4 };
/** Another one may be active already; one that stands by says so at once, over a connection that stays. */
const withStandbys: Patience = { lastRetryMs: 2_000, welcomeMs: 5_000, silentHeartbeats: 2 };
/** The longest pause after one of the two sides has refused the other: the next attempt meets the same. */
const lastRefusedRetryMs = 120_000;
/** The certificate's date is looked at this often: a timer stands still while the machine is suspended. */
const lookEveryMs = 3_600_000;
/** A failed renewal is tried again this often, or ten times in what is left of the certificate's life. */
const renewalRetryMs = 60_000;
/** Between two renewals, however short the certificates' lives. */
const leastRenewalMs = 1_000;
/** An upload or a fetch is tried this often before the stage's next task brings it again. */
const transferTries = 5;

type Stream = ClientDuplexStream<SiteFrame, AggregatorFrame__Output>;

/** An aggregator's address, and the proxy through which to go there; null for the direct way. */
export interface AggregatorRoute {
  readonly address: string;
  readonly proxy: WebProxy | null;
}

export class Connection {
  readonly #routes: readonly AggregatorRoute[];
  readonly #patience: Patience;
  /** One of each route that was dialled, by its place. */
  readonly #clients = new Map<number, FederationClient>();
  /** The place of the route in use. */
  #at = 0;
  readonly #stateFolder: string;
  readonly #software: string;
  readonly #handlers: ConnectionHandlers;
  readonly #revocations: () => RevocationList | undefined;
  readonly #now: () => number;
  readonly #log: Logger;
  #identity: Identity;
  /** Greeted and in use. */
  #stream: Stream | null = null;
  /** Not greeted yet. After a renewal it stands beside the one in use, and takes its place at its welcome. */
  #opening: Stream | null = null;
  #status: ConnectionStatus = { connected: false, since: null, lastFault: null, aggregatorSoftware: null };
  #stopped = false;
  #retryMs = firstRetryMs;
  /** This site ended the last stream over what came on it: a welcome alone does not shorten the pause again. */
  #isWary = false;
  /** What a connection failed of since the last welcome, which gRPC tells little of. */
  #routeFault: ConsiliumError | null = null;
  #retryTimer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #renewing: Promise<boolean> | null = null;
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The aggregator's word at the last attempt, whatever this clock says. */
  #isCertificateRefused = false;

  constructor(options: {
    /** Of all aggregators of the federation, one of which is active at a time. */
    readonly routes: readonly [AggregatorRoute, ...AggregatorRoute[]];
    readonly identity: Identity;
    readonly stateFolder: string;
    readonly software: string;
    readonly handlers: ConnectionHandlers;
    readonly revocations: () => RevocationList | undefined;
    readonly now: () => number;
    readonly log: Logger;
  }) {
    this.#routes = options.routes;
    this.#patience = options.routes.length === 1 ? withOneAggregator : withStandbys;
    this.#identity = options.identity;
    this.#stateFolder = options.stateFolder;
    this.#software = options.software;
    this.#handlers = options.handlers;
    this.#revocations = options.revocations;
    this.#now = options.now;
    this.#log = options.log;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  get identity(): Identity {
    return this.#identity;
  }

  start(): void {
    void this.#attend();
    this.#planLook();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#lookTimer);
    this.#opening?.cancel();
    this.#stream?.cancel();
    for (const client of this.#clients.values()) client.close();
  }

  /** What the greeting says is no longer so: another stream, with a new greeting, takes the present one's place. */
  greetAgain(): void {
    if (this.#stream !== null && this.#opening === null && !this.#stopped) void this.#attend();
  }

  /** Sends a frame if connected; otherwise it falls away, and the aggregator asks again after the next hello. */
  send(message: OutboundMessage): void {
    if (this.#status.connected && this.#stream !== null) this.#stream.write(message.take());
  }

  /**
   * Uploads a stored answer, resuming where the aggregator's copy ends. A small vector goes the way of other frames: nobody
   * waits for a reply.
   * @throws ConsiliumError as the aggregator refuses it, or UNREACHABLE
   */
  async upload(upload: OutboundUpload): Promise<void> {
    const { content } = upload;
    if (content !== null) {
      if (!this.#status.connected || this.#stream === null) return;
      this.#stream.write({ frame: "vector", vector: { ...upload.take(), content: Buffer.from(content) } });
      return;
    }
    const passing: ErrorCode[] = [
      "UNREACHABLE",
      "AGGREGATOR_STANDBY",
      "UPLOAD_HASH",
      "UPLOAD_TRUNCATED",
      "UPLOAD_ORDER",
      "DISK_FULL",
    ];
    await this.#retrying(() => this.#uploadOnce(upload), passing);
  }

  async #retrying<T>(transfer: () => Promise<T>, passing: readonly ErrorCode[]): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await transfer();
      } catch (thrown) {
        const error = fromServiceError(thrown);
        if (!passing.includes(error.code) || tries === transferTries || this.#stopped) throw error;
        await new Promise((resolve) => setTimeout(resolve, firstRetryMs * 2 ** (tries - 1)));
      }
    }
  }

  async #uploadOnce(upload: OutboundUpload): Promise<void> {
    const call = upload.method === "sum" ? this.#client.sendVector() : this.#client.sendRows();
    // After its end a call takes what is written and never drains, nor says so: it is not to be waited for then.
    let over = false;
    call.on("error", () => {
      over = true;
    });
    const replies = call[Symbol.asyncIterator]() as AsyncIterator<UploadReply__Output>;
    const silence = () => fault("UNREACHABLE", "line.no-answer", {});
    const nextReply = () => nextWithin(replies, stallMs, silence);
    let complete = false;
    try {
      call.write({ part: "header", header: upload.take() });
      const first = await nextReply();
      if (first.done) throw fault("UPLOAD_TRUNCATED", "line.upload-ended", {});
      complete = first.value.complete;
      if (complete) return;
      let offset = first.value.received;
      if (!(offset >= 0 && offset <= upload.bytes)) throw fieldFault("received", "not within the upload");
      if (offset < upload.bytes) {
        for await (const chunk of createReadStream(upload.path, {
          start: offset,
          highWaterMark: maxChunkBytes,
        }) as AsyncIterable<Buffer>) {
          const more = call.write({ part: "chunk", chunk: { offset, data: chunk } });
          offset += chunk.length;
          if (over || (!more && !(await awaitDrain(call, stallMs)))) break;
        }
      }
      call.end();
      for (;;) {
        const reply = await nextReply();
        if (reply.done) throw fault("UPLOAD_TRUNCATED", "line.upload-unconfirmed", {});
        complete = reply.value.complete;
        if (complete) return;
      }
    } finally {
      // A call that ends by itself costs nothing; to cancel one makes an error, with its stack, on both sides.
      if (complete) void letEnd(call, nextReply());
      else call.cancel();
    }
  }

  /**
   * Fetches a broadcast whole; its hash is the caller's to check.
   * @throws ConsiliumError UPLOAD_LENGTH when it is not as long as announced, UNREACHABLE, or as the aggregator refuses
   */
  fetch(request: OutboundFetch, length: number): Promise<Uint8Array> {
    return this.#retrying(
      () => this.#fetchOnce(request, length),
      ["UNREACHABLE", "AGGREGATOR_STANDBY", "UPLOAD_TRUNCATED"],
    );
  }

  async #fetchOnce(request: OutboundFetch, length: number): Promise<Uint8Array> {
    const asked = request.take();
    const { studyId } = asked;
    const bytes = new Uint8Array(length);
    let received = 0;
    const call = this.#client.fetchVector(asked);
    call.on("error", () => undefined);
    const stalled = setTimeout(() => call.cancel(), stallMs);
    try {
      for await (const piece of call) {
        stalled.refresh();
        const chunk = piece as Chunk__Output;
        if (chunk.offset !== received || received + chunk.data.length > bytes.length)
          throw fault("UPLOAD_LENGTH", "line.broadcast-length", { study: nameOf(studyId) });
        bytes.set(chunk.data, received);
        received += chunk.data.length;
      }
    } catch (thrown) {
      throw fromServiceError(thrown);
    } finally {
      clearTimeout(stalled);
      call.cancel();
    }
    if (received !== bytes.length)
      throw fault("UPLOAD_LENGTH", "line.broadcast-length", { study: nameOf(studyId) });
    return bytes;
  }

  /** Of the route in use. */
  get #client(): FederationClient {
    const client = this.#clients.get(this.#at) ?? this.#dial();
    this.#clients.set(this.#at, client);
    return client;
  }

  get #address(): string {
    return this.#routes[this.#at]!.address;
  }

  #dial(): FederationClient {
    const { address, proxy } = this.#routes[this.#at]!;
    const channel = clientChannel(unwrap(parseAddress(address)), {
      identity: this.#identity,
      rootPem: this.#identity.rootPem,
      serverRole: "aggregator",
      proxy,
      now: this.#now,
      revocations: this.#revocations,
      onFault: (fault) => {
        this.#routeFault = fault;
      },
    });
    const options = { ...channel.options, "grpc.use_local_subchannel_pool": 1 };
    return new Federation(channel.target, channel.credentials, options);
  }

  /** One stream from hello to its end, then the next after a pause. */
  async #attend(): Promise<void> {
    clearTimeout(this.#retryTimer);
    if (this.#isCertificateRefused || this.#now() > this.#identity.notAfter) await this.#renew();
    if (this.#stopped) return;
    const stream = this.#client.attend();
    const superseded = this.#opening;
    this.#opening = stream;
    superseded?.cancel();
    let sequence = 0;
    let lastHeardAt = this.#now();
    let beat: NodeJS.Timeout | undefined;
    /** Why this site ended the stream, if it did. */
    let refusal: ConsiliumError | null = null;
    /** What the aggregator said before it ended the stream. */
    let said: ConnectionFault | null = null;
    /** Nothing comes any more: the connection is dead, though nobody said so, and the next attempt needs another. */
    const giveUp = (silentMs: number) => {
      refusal = fault("UNREACHABLE", "line.silent", { seconds: silentMs / 1000 });
      if (!this.#stopped) this.#redial([this.#at]);
      stream.cancel();
    };
    const { welcomeMs, silentHeartbeats, lastRetryMs } = this.#patience;
    const welcome = setTimeout(() => giveUp(welcomeMs), welcomeMs);
    const end = (thrown: unknown) => {
      clearTimeout(welcome);
      clearInterval(beat);
      if (stream !== this.#stream && stream !== this.#opening) return;
      if (stream === this.#opening) this.#opening = null;
      else this.#stream = null;
      const error = refusal ?? (thrown === null ? null : fromServiceError(thrown));
      const fault =
        error === null ? (said ?? this.#status.lastFault) : describe(error, said, this.#routeFault);
      const connected = this.#stream !== null;
      this.#status = {
        ...this.#status,
        connected,
        since: connected ? this.#status.since : null,
        lastFault: fault,
      };
      // Another stream is on its way, or there is to be none.
      if (this.#stopped || this.#opening !== null) return;
      this.#log.warn("not connected to the aggregator", {
        code: fault?.code ?? null,
        retryMs: this.#retryMs,
        ...(this.#routes.length > 1 && { aggregator: this.#address }),
      });
      if (!connected) this.#at = (this.#at + 1) % this.#routes.length;
      const isRefused = fault !== null && isErrorCode(fault.code) && errorTable[fault.code].family === "peer";
      const jitter = 0.75 + 0.5 * ((this.#now() % 1000) / 1000);
      this.#retryTimer = setTimeout(() => void this.#attend(), this.#retryMs * jitter);
      this.#retryMs = Math.min(isRefused ? lastRefusedRetryMs : lastRetryMs, this.#retryMs * 2);
    };
    stream.on("data", (frame: AggregatorFrame__Output) => {
      if (stream !== this.#stream && stream !== this.#opening) return;
      lastHeardAt = this.#now();
      const isGreeted = stream === this.#stream;
      try {
        const message = readAggregatorFrame(frame);
        if (message.kind !== "fault" && isGreeted === (message.kind === "welcome")) {
          const what = isGreeted ? "line.second-welcome" : "line.welcome-first";
          throw fault("MESSAGE_UNEXPECTED", what, {});
        }
        switch (message.kind) {
          case "welcome": {
            clearTimeout(welcome);
            this.#handlers.welcomed(message);
            const before = this.#stream;
            this.#stream = stream;
            this.#opening = null;
            before?.cancel();
            if (!this.#isWary) this.#retryMs = firstRetryMs;
            this.#routeFault = null;
            this.#isCertificateRefused = false;
            this.#status = {
              connected: true,
              since: this.#now(),
              lastFault: null,
              aggregatorSoftware: message.software,
            };
            this.#log.info("connected to the aggregator", {
              aggregator: this.#address,
              software: message.software,
            });
            beat = setInterval(() => {
              const silentMs = this.#now() - lastHeardAt;
              if (silentMs > silentHeartbeats * message.heartbeatMs) giveUp(silentMs);
              else this.#beat(stream, ++sequence);
            }, message.heartbeatMs);
            void this.#look();
            return;
          }
          case "heartbeat":
            this.#isWary = false;
            this.#retryMs = firstRetryMs;
            return;
          case "fault":
            if (message.studyId !== null) {
              this.#handlers.refusedThere(message.studyId, message);
              return;
            }
            said = { code: message.code, message: message.message, route: null };
            this.#isCertificateRefused = message.code === "CERTIFICATE_INVALID";
            this.#status = { ...this.#status, lastFault: said };
            this.#log.error("the aggregator refused this site", {
              code: message.code,
              reason: message.message,
            });
            return;
          default:
            this.#handlers.message(message);
        }
      } catch (thrown) {
        const error = fromServiceError(thrown);
        const { code, message: reason } = error;
        // Only a fault of the message, not one of this process.
        const alone = isGreeted && code === "FIELD_INVALID" ? refusedMessage(frame) : null;
        if (alone !== null) {
          const { kind: what, studyId: study } = alone;
          this.#log.error("a message of the aggregator's was refused", { what, study, code, reason });
          this.#handlers.refused(alone, error);
          return;
        }
        this.#log.error("malformed message from the aggregator", { code, reason });
        refusal = error;
        this.#isWary = true;
        stream.cancel();
      }
    });
    stream.on("error", end);
    stream.on("end", () => end(null));
    try {
      const hello = await this.#handlers.hello();
      stream.write(hello.take());
    } catch (thrown) {
      this.#log.error("the greeting could not be made", {}, thrown);
      stream.cancel();
    }
  }

  /** Without its line in the egress log no heartbeat is sent: a site that cannot write its log is silent. */
  #beat(stream: Stream, sequence: number): void {
    try {
      stream.write(this.#handlers.heartbeat(sequence).take());
    } catch (thrown) {
      this.#log.error("a heartbeat could not be logged and was not sent", {}, thrown);
      stream.cancel();
    }
  }

  #planLook(waitMs = this.#identity.renewAtMs - this.#now()): void {
    clearTimeout(this.#lookTimer);
    const wait = Math.min(Math.max(leastRenewalMs, waitMs), lookEveryMs);
    this.#lookTimer = setTimeout(() => void this.#look(), wait);
    this.#lookTimer.unref();
  }

  /** Renews from half life on, over the present channel, then dials anew with the new certificate: no gap between the two. */
  async #look(): Promise<void> {
    const isDue = this.#status.connected && this.#now() >= this.#identity.renewAtMs;
    if (isDue && (await this.#renew())) {
      this.#retryMs = firstRetryMs;
      void this.#attend();
    }
    if (this.#stopped) return;
    const { renewAtMs, notAfter } = this.#identity;
    const now = this.#now();
    this.#planLook(
      now < renewAtMs ? renewAtMs - now : Math.min(renewalRetryMs, Math.abs(notAfter - now) / 10),
    );
  }

  /** @returns whether there is another certificate, for what begins from now on */
  async #renew(): Promise<boolean> {
    const { renewAtMs, notAfter } = this.#identity;
    // By a clock that is wrong each new certificate is due, or refused, at once.
    if (Math.abs(this.#now() - this.#renewedAt) < Math.min(lookEveryMs, (notAfter - renewAtMs) / 2))
      return false;
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renewOnce(): Promise<boolean> {
    const { renewed } = await import("@consilium/runtime/identity/renew");
    const identity = await renewed({
      client: this.#client,
      identity: this.#identity,
      folder: identityFolder(this.#stateFolder),
      software: this.#software,
      now: this.#now,
      sending: this.#handlers.renewing,
      log: this.#log,
    });
    if (identity === null) return false;
    this.#identity = identity;
    this.#renewedAt = this.#now();
    this.#isCertificateRefused = false;
    this.#redial();
    return true;
  }

  /** Other channels for what begins from now on. Calls on the old ones end first; they are closed when they had time to. */
  #redial(places: readonly number[] = [...this.#clients.keys()]): void {
    for (const place of places) {
      const before = this.#clients.get(place);
      this.#clients.delete(place);
      setTimeout(() => before?.close(), 60_000).unref();
    }
  }
}

/** @param next - what comes after the last message: nothing, or the call is cut off */
async function letEnd(call: { cancel(): void }, next: Promise<IteratorResult<unknown>>): Promise<void> {
  const isOver = await next.then(
    ({ done }) => done === true,
    () => false,
  );
  if (!isOver) call.cancel();
}

/** What the aggregator gave in words says more than the stream's end that follows it, and so does the way to it. */
function describe(
  error: ConsiliumError,
  said: ConnectionFault | null,
  routeFault: ConsiliumError | null,
): ConnectionFault {
  if (error.code === "UNREACHABLE" && said !== null) return said;
  // gRPC repeats the last failure of a connection within its own words.
  const told = routeFault !== null && error.message.includes(routeFault.message) ? routeFault : error;
  const { code, message, remedy } = told;
  const route =
    told instanceof RouteFault
      ? { stage: told.stage, reason: told.reason, detail: told.detail, remedy }
      : null;
  return { code, message: `${message}. ${remedy}`, route };
}
