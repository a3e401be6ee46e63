import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Metrics } from "../metrics.js";
import { openStreams } from "./events.js";
import type { HttpServer } from "./server.js";

const health = z.object({
  ok: z.boolean(),
  /** Why the process is not ready, where that has a code. */
  code: z.literal("DISK_FULL").optional(),
});

/**
 * `/healthz`, `/readyz` and `/metrics`, for whatever watches over the process. Not rate limited: many machines may
 * share one address, and a stranger's flood must not make the process look dead. A process with a full disk is alive
 * but not ready: a restart would not help.
 */
export function routeOperations(
  server: HttpServer,
  options: {
    readonly ready: () => boolean | Promise<boolean>;
    /** Null while the disk has room. */
    readonly disk: { fault(): unknown };
    readonly metrics: Pick<Metrics, "render">;
  },
): void {
  const config = { role: "public", rateLimit: false } as const;
  const schema = { hide: true, response: { 200: health, 503: health } };
  server.get("/healthz", { config, schema }, async () => ({ ok: true }));
  server.get("/readyz", { config, schema }, async (_, reply) => {
    if ((await options.disk.fault()) !== null) return reply.code(503).send({ ok: false, code: "DISK_FULL" });
    const ok = await options.ready();
    return reply.code(ok ? 200 : 503).send({ ok });
  });
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
