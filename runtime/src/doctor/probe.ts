import { type ClientHttp2Session, connect } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { ErrorCode } from "@consilium/core/errors";
import { protocolVersions } from "@consilium/core/limits";
import { softwareVersion } from "@consilium/core/version";
import { Federation } from "@consilium/proto/load";
import { codeKey } from "@consilium/proto/status";
import { reasonOf } from "../network/routeFault.js";
import type { NetworkTarget } from "./network.js";

/** What came of speaking HTTP/2 over a connection. */
type Http2Outcome =
  /** `reason`: `timeout` where the connection is held silently, else how it was cut. */
  | { readonly ok: false; readonly reason: string }
  | { readonly ok: true; readonly session: ClientHttp2Session };

/** Begins HTTP/2 and waits for the other side's settings and its answer to a ping. */
export function beginHttp2(socket: TLSSocket, authority: string, timeoutMs: number): Promise<Http2Outcome> {
  return new Promise((resolve) => {
    const session = connect(`https://${authority}`, { createConnection: () => socket });
    const end = (outcome: Http2Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
      if (!outcome.ok) session.destroy();
    };
    const timer = setTimeout(() => end({ ok: false, reason: "timeout" }), timeoutMs);
    session.on("error", (cause) => end({ ok: false, reason: reasonOf(cause) }));
    session.once("close", () => end({ ok: false, reason: "closed" }));
    session.once("remoteSettings", () => {
      session.ping((cause) =>
        end(cause === null ? { ok: true, session } : { ok: false, reason: reasonOf(cause) }),
      );
    });
  });
}

/** The aggregator's answer to `Federation.Check`, as far as one came. */
export interface CheckAnswer {
  /** Of HTTP; null where none came in time. */
  readonly httpStatus: number | null;
  /** The reply, or null where the server knows no such method, is not one of ours, or did not answer. */
  readonly reply: {
    readonly nowMs: number;
    readonly lowest: number;
    readonly highest: number;
    /** Empty to strangers. */
    readonly software: string;
    readonly certificateCode: string;
    readonly certificateMessage: string;
  } | null;
  /** Of gRPC, where the call failed. */
  readonly grpcStatus: number | null;
  /** It stands by for another aggregator. */
  readonly isStandby: boolean;
  /** The server's clock, milliseconds since 1970, by its reply or else by the HTTP header, which counts seconds. */
  readonly serverMs: number | null;
  /** When it answered, by this machine's clock, and how uncertain that is. */
  readonly answeredAtMs: number;
  readonly roundTripMs: number;
}

const frameHeadBytes = 5;
const replyMaxBytes = 16_384;

/** Asks for the aggregator's view of the connection. It sends the protocol's versions and nothing else. */
export function askCheck(
  session: ClientHttp2Session,
  { now, timeoutMs, sending }: Pick<NetworkTarget, "now" | "timeoutMs" | "sending">,
): Promise<CheckAnswer> {
  const { path, requestSerialize, responseDeserialize } = Federation.service.Check;
  const message = requestSerialize({ versions: { ...protocolVersions, software: softwareVersion } });
  const head = Buffer.alloc(frameHeadBytes);
  head.writeUInt32BE(message.length, 1);
  sending?.(message);
  return new Promise((resolve) => {
    const sentAt = now();
    let httpStatus: number | null = null;
    let grpcStatus: number | null = null;
    let isStandby = false;
    let date: number | null = null;
    let answeredAtMs = sentAt;
    const parts: Buffer[] = [];
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc+proto",
      te: "trailers",
    });
    const timer = setTimeout(() => stream.close(), timeoutMs);
    const readStatus = (headers: Record<string, unknown>) => {
      const text = headers["grpc-status"];
      if (typeof text === "string" && /^\d{1,3}$/.test(text)) grpcStatus = Number(text);
      if (headers[codeKey] === ("AGGREGATOR_STANDBY" satisfies ErrorCode)) isStandby = true;
    };
    stream.on("response", (headers) => {
      answeredAtMs = now();
      httpStatus = headers[":status"] ?? null;
      const stamp = typeof headers.date === "string" ? Date.parse(headers.date) : Number.NaN;
      // The header counts whole seconds: on average half a second has passed of the one it names.
      if (!Number.isNaN(stamp)) date = stamp + 500;
      readStatus(headers);
    });
    stream.on("trailers", readStatus);
    stream.on("data", (part: Buffer) => {
      parts.push(part);
      if (parts.reduce((sum, { length }) => sum + length, 0) > replyMaxBytes) stream.close();
    });
    stream.on("error", () => undefined);
    stream.on("close", () => {
      clearTimeout(timer);
      const reply = grpcStatus === 0 ? readReply(Buffer.concat(parts), responseDeserialize) : null;
      const serverMs = reply?.nowMs ?? date;
      const roundTripMs = answeredAtMs - sentAt;
      resolve({ httpStatus, reply, grpcStatus, isStandby, serverMs, answeredAtMs, roundTripMs });
    });
    stream.end(Buffer.concat([head, message]));
  });
}

function readReply(
  frame: Buffer,
  deserialize: typeof Federation.service.Check.responseDeserialize,
): CheckAnswer["reply"] {
  if (frame.length < frameHeadBytes || frame[0] !== 0) return null;
  try {
    const reply = deserialize(frame.subarray(frameHeadBytes, frameHeadBytes + frame.readUInt32BE(1)));
    if (reply.versions === null || !(reply.nowMs > 0 && reply.nowMs < 8.64e15)) return null;
    const { lowest, highest, software } = reply.versions;
    return {
      nowMs: reply.nowMs,
      lowest,
      highest,
      software: plain(software, 64),
      certificateCode: plain(reply.certificateCode, 64),
      certificateMessage: plain(reply.certificateMessage, 300),
    };
  } catch {
    return null;
  }
}

/** What a peer wrote, without what could do anything to a terminal. */
function plain(text: string, most: number): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, most);
}
