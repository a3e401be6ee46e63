import type { Socket } from "node:net";
import type { ConsiliumError } from "@consilium/core/errors";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerFactory,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
  type RouteOptions,
} from "fastify";
import type { Logger } from "../log.js";
import { logDenials } from "./denied.js";
import { addressUnknown, answerFailure, failureText, requestMalformed, sendFailure } from "./failures.js";
import { collectRoutes } from "./openapi.js";
import { type Access, isRole } from "./roles.js";
import { useZodSchemas, type ZodTypes } from "./schemas.js";
import { refuseUnstorableText } from "./storable.js";
import type { PagesCertificate } from "./tls.js";

/** A server whose routes declare zod schemas and their role. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypes
>;

export interface HttpOptions {
  readonly log: Logger;
  /** Judges every request of a route that is not public. */
  readonly access: Access;
  /** The largest body of any route; a route may set less, or more, for itself. */
  readonly bodyMaxBytes?: number;
  readonly rateLimit?: {
    /** Requests of one address. */
    readonly perMinute: number;
    /** Requests that are not counted, such as those of who has signed in: many machines may share one address. */
    readonly exempt?: (request: FastifyRequest) => boolean | Promise<boolean>;
  };
  /** Lets pages of other origins read answers, where these say so too. */
  readonly crossOrigin?: boolean;
  /** Proxies whose X-Forwarded-… headers are believed; none by default. */
  readonly trustedProxies?: readonly string[];
  /** A connection on which nothing moves for so long is closed; 0 for never. */
  readonly idleTimeoutMs?: number;
  /** Whether `close` cuts what is being answered, or only connections that are idle. */
  readonly onClose?: "cut" | "finish";
  /** The server itself speaks TLS with it; left out: HTTP. */
  readonly tls?: PagesCertificate | undefined;
  /** Fails if a response does not match the route's schema: for tests. */
  readonly verifyAnswers?: boolean;
}

const bodyMaxBytes = 1024 * 1024;
const idleTimeoutMs = 120_000;
/** A whole request must have come by then: who sends a byte now and then holds no connection open for long. */
const requestTimeoutMs = 60_000;
const headersTimeoutMs = 15_000;
const checkTimeoutsEveryMs = 1_000;
const maxConnections = 2_000;
const maxParamLength = 200;

/** What a browser may do with anything that is no page of ours. */
const nothingRuns = { "default-src": ["'none'"], "frame-ancestors": ["'none'"], sandbox: [] };

/**
 * The HTTP server of all our processes: schemas that validate and document, one mapping of errors, safe
 * headers, limits on bodies, rates and idle connections, and no route without a role. Routes and listening are the
 * caller's.
 */
export async function createHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { log, tls } = options;
  const idleMs = options.idleTimeoutMs ?? idleTimeoutMs;
  const limits = { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: checkTimeoutsEveryMs };
  // The framework sets its limits on servers of its own making only.
  const serverFactory: FastifyServerFactory<RawServerDefault> = (handler) =>
    tls!.createServer({ ...limits, requestTimeout: requestTimeoutMs }, handler).setTimeout(idleMs);
  const server = Fastify<RawServerDefault>({
    logger: false,
    bodyLimit: options.bodyMaxBytes ?? bodyMaxBytes,
    connectionTimeout: idleMs,
    requestTimeout: requestTimeoutMs,
    http: limits,
    ...(tls !== undefined && { serverFactory }),
    forceCloseConnections: options.onClose === "finish" ? "idle" : true,
    routerOptions: { maxParamLength },
    trustProxy: options.trustedProxies === undefined ? false : [...options.trustedProxies],
    // An address that cannot be decoded, or is too long, comes to no route, so not to the handlers below either.
    frameworkErrors: ({ code }, _, reply) =>
      sendFailure(
        reply,
        code === "FST_ERR_BAD_URL" ? requestMalformed("http.malformed-address") : addressUnknown(),
      ),
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
  });
  server.server.maxConnections = maxConnections;
  useZodSchemas(server, options);
  const logDenied = logDenials(log);
  server.setErrorHandler((thrown, request, reply) => {
    logDenied(thrown, request);
    return answerFailure(thrown, request, reply, log);
  });
  server.setNotFoundHandler((_, reply) => sendFailure(reply, addressUnknown()));
  server.decorateRequest("caller", null);
  server.addHook("onRoute", requireRole);
  collectRoutes(server);
  await server.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: nothingRuns },
    crossOriginResourcePolicy: { policy: options.crossOrigin === true ? "cross-origin" : "same-origin" },
    referrerPolicy: { policy: "no-referrer" },
    // Whether a name is served by TLS only is for the proxy that ends the TLS to say.
    strictTransportSecurity: false,
  });
  if (options.rateLimit !== undefined) {
    const { perMinute, exempt } = options.rateLimit;
    await server.register(rateLimit, {
      max: perMinute,
      timeWindow: "1 minute",
      ...(exempt === undefined ? {} : { allowList: exempt }),
    });
  }
  // After the rate limit, which is a route's own onRequest, and before the body is read.
  server.addHook("preParsing", async (request) => {
    const { role } = request.routeOptions.config;
    if (request.is404 || role === undefined || role === "public") return;
    request.caller = await options.access(request, role);
  });
  refuseUnstorableText(server);
  return server.withTypeProvider<ZodTypes>();
}

function requireRole(route: RouteOptions): void {
  if (isRole(route.config?.role)) return;
  const method = [route.method].flat().join(", ");
  throw new RangeError(`the route ${method} ${route.url} has no role in its config`);
}

/** What is no HTTP at all comes to no route. Nothing of it is repeated. */
function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, text] = clientFailure(error.code);
  const body = failureText(text);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function clientFailure(code: string | undefined): readonly [status: string, error: ConsiliumError] {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return ["408 Request Timeout", requestMalformed("http.timeout")];
    case "HPE_HEADER_OVERFLOW":
      return ["431 Request Header Fields Too Large", requestMalformed("http.headers")];
    default:
      return ["400 Bad Request", requestMalformed("http.malformed-http")];
  }
}
