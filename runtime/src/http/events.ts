import type { FastifyReply, FastifyRequest } from "fastify";
import { fault } from "../fault.js";
import { spoken } from "./spoken.js";

/** Something that changes and that a page shows: each event is the whole of it. */
export interface Watched<T> {
  /** What is to be shown at this moment. */
  readonly now: () => T;
  /** Calls `changed` at every change until the returned function is called. */
  readonly subscribe: (changed: () => void) => () => void;
  /** Whether nothing comes after this one; never, where left out. */
  readonly isLast?: (value: T) => boolean;
  /** What `now` threw while the stream was open, which ends it. */
  readonly failed?: (thrown: unknown) => void;
}

interface EventLimits {
  /** Values are sent at most this often. */
  readonly intervalMs?: number;
  /** A comment line this often keeps proxies from closing a quiet stream. */
  readonly keepaliveMs?: number;
  /** A stream ends after this long and the reader asks again: whether it may still read is judged anew. */
  readonly lifetimeMs?: number;
}

const defaults = { intervalMs: 200, keepaliveMs: 15_000, lifetimeMs: 3_600_000 };
/** Open streams of one server. */
export const maxStreams = 500;
const open = new WeakMap<object, number>();

/** How many event streams a server has open. */
export function openStreams(server: object): number {
  return open.get(server) ?? 0;
}

export const eventStreamType = "text/event-stream";

/**
 * Server-sent events: the value now, then whenever it changes, each as the JSON of one `data:` line. A reader that is
 * slow gets the newest value when it has read the last one, not all between, so that of each stream no more than one
 * value waits in memory.
 * @throws ConsiliumError what `now` throws before the stream has begun; RATE_LIMITED when too many are open
 */
export function sendEvents<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  watched: Watched<T>,
  limits: EventLimits = {},
): FastifyReply {
  const { intervalMs, keepaliveMs, lifetimeMs } = { ...defaults, ...limits };
  const { server } = request.server;
  const first = watched.now();
  reply.headers({
    "content-type": `${eventStreamType}; charset=utf-8`,
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  if (request.method === "HEAD") return reply.send();
  if (openStreams(server) >= maxStreams) {
    throw fault("RATE_LIMITED", "http.streams", { max: maxStreams }, "http.close-streams");
  }
  open.set(server, openStreams(server) + 1);
  reply.hijack();
  const out = reply.raw;
  out.writeHead(200, reply.getHeaders() as Record<string, string>);
  let pending: NodeJS.Timeout | undefined;
  let closed = false;
  let unsubscribe = () => {};
  const close = () => {
    if (closed) return;
    closed = true;
    unsubscribe();
    clearTimeout(pending);
    clearTimeout(lifetime);
    clearInterval(keepalive);
    open.set(server, openStreams(server) - 1);
    out.end();
  };
  // Skipped while the reader has not read what was sent before.
  let isStale = false;
  const write = (value: T) => {
    out.write(`data: ${JSON.stringify(spoken(value))}\n\n`);
    if (watched.isLast?.(value) === true) close();
  };
  const send = () => {
    pending = undefined;
    if (closed) return;
    isStale = out.writableNeedDrain;
    if (isStale) return;
    try {
      write(watched.now());
    } catch (thrown) {
      watched.failed?.(thrown);
      close();
    }
  };
  const keepalive = setInterval(() => {
    if (!out.writableNeedDrain) out.write(": still here\n\n");
  }, keepaliveMs);
  const lifetime = setTimeout(close, lifetimeMs);
  out.on("drain", () => {
    if (isStale) send();
  });
  out.on("close", close);
  out.on("error", close);
  // A reader that went before this says so no more.
  if (out.destroyed) close();
  unsubscribe = watched.subscribe(() => {
    if (!closed) pending ??= setTimeout(send, intervalMs);
  });
  if (closed) unsubscribe();
  else write(first);
  return reply;
}
