import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Metrics } from "../metrics.js";
import type { LeaseView } from "../store/lease.js";
import { openStreams } from "./events.js";
import type { HttpServer } from "./server.js";

const health = z.object({
  ok: z.boolean(),
  /** Why the process is not ready, where that has a code. */
  code: z.enum(["DISK_FULL", "AGGREGATOR_STANDBY"]).optional(),
});

/** `/leasez` of a process that another one can take over from. */
export const leaseAnswer = z.object({
  /** This process holds the lease. */
  active: z.boolean(),
  holder: z.string().nullable(),
  ageMs: z.number(),
  takeovers: z.int(),
  takenAt: z.string().nullable(),
  takenFrom: z.string().nullable(),
  fault: z.string().nullable(),
});

function leaseOf({ isHeld, holder, ageMs, epoch, takenAt, takenFrom, fault }: LeaseView) {
  return {
    active: isHeld,
    holder,
    ageMs: Math.round(ageMs),
    takeovers: epoch,
    takenAt: takenAt === null ? null : new Date(takenAt).toISOString(),
    takenFrom,
    fault,
  };
}

/**
 * `/healthz`, `/readyz`, `/metrics` and, with a lease, `/leasez`, for whatever watches over the process. Not rate limited: many machines may
 * share one address, and a stranger's flood must not make the process look dead. A process with a full disk is alive
 * but not ready: a restart would not help. Neither is one that stands by for another.
 */
export function routeOperations(
  server: HttpServer,
  options: {
    readonly ready: () => boolean | "AGGREGATOR_STANDBY" | Promise<boolean>;
    /** Null while the disk has room. */
    readonly disk: { fault(): unknown };
    readonly metrics: Pick<Metrics, "render">;
    readonly lease?: { readonly view: LeaseView } | null;
  },
): void {
  const config = { role: "public", rateLimit: false } as const;
  const schema = { hide: true, response: { 200: health, 503: health } };
  server.get("/healthz", { config, schema }, async () => ({ ok: true }));
  server.get("/readyz", { config, schema }, async (_, reply) => {
    if ((await options.disk.fault()) !== null) return reply.code(503).send({ ok: false, code: "DISK_FULL" });
    const ready = await options.ready();
    if (ready === "AGGREGATOR_STANDBY") return reply.code(503).send({ ok: false, code: ready });
    return reply.code(ready ? 200 : 503).send({ ok: ready });
  });
  const { lease } = options;
  if (lease != null) {
    const answer = { hide: true, response: { 200: leaseAnswer } };
    server.get("/leasez", { config, schema: answer }, async () => leaseOf(lease.view));
  }
  server.get("/metrics", { config, schema: { hide: true } }, async (_, reply) => {
    const { contentType, body } = await options.metrics.render();
    return reply.type(contentType).send(body);
  });
}

/** Counts a server's requests by route, method and status, and its open streams of events. */
export function measureRequests(server: HttpServer, metrics: Metrics): void {
  const requests = metrics.histogram({
    name: "consilium_http_request_duration_seconds",
    help: "HTTP requests by route pattern, method and status, until the response was sent.",
    labelNames: ["route", "method", "status"],
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 10, 60],
  });
  const sent = metrics.counter({
    name: "consilium_http_response_bytes_total",
    help: "Response bytes by route, including headers and aborted responses.",
    labelNames: ["route"],
  });
  const bytesBefore = new WeakMap<FastifyRequest, number>();
  // A connection's requests are answered one after the other.
  const bytesSince = (request: FastifyRequest) =>
    Math.max(0, (request.socket.bytesWritten ?? 0) - (bytesBefore.get(request) ?? 0));
  server.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "none";
    requests.observe({ route, method: request.method, status: reply.statusCode }, reply.elapsedTime / 1000);
    sent.inc({ route }, bytesSince(request));
  });
  server.addHook("onRequest", async (request) => {
    bytesBefore.set(request, request.socket.bytesWritten ?? 0);
  });
  metrics.gauge({
    name: "consilium_http_event_streams",
    help: "Open event streams.",
    collect() {
      this.set(openStreams(server.server));
    },
  });
}
