import { createHash, timingSafeEqual } from "node:crypto";
import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { parseSiteId, parseStudyId, type StudyId } from "@consilium/core/ids";
import type { ErrorView, FederationView, InvitationView, SiteView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { planView } from "@consilium/core/study/planView";
import { parseStudy } from "@consilium/core/study/study";
import type { Logger } from "@consilium/runtime/log";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import type { Studies } from "../rounds/studies.js";

/** The operator's HTTP API: core/src/operator/views.ts lists the routes. */
export interface OperatorContext {
  readonly studies: Studies;
  readonly federation: () => FederationView;
  readonly sites: () => SiteView[];
  readonly invite: (site: string, lifetimeMs: number) => InvitationView;
  readonly revoke: (list: Uint8Array) => Promise<void>;
  readonly tokenHash: Uint8Array;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  readonly log: Logger;
}

const maxStudyBytes = 2 * 1024 * 1024;
const defaultInvitationMs = 24 * 3_600_000;
const maxInvitationMs = 30 * 86_400_000;
/** Views of a study are sent at most this often to a watcher. */
const eventIntervalMs = 200;
/** A comment line this often keeps proxies from closing a quiet stream. */
const keepaliveMs = 15_000;
/** Of one address without the operator's token: whoever tries tokens. */
const strangersPerMinute = 600;

const invitationBody = z.strictObject({
  site: z.string().max(40),
  expiresInMs: z.int().min(1_000).max(maxInvitationMs).optional(),
});
const revocationBody = z.strictObject({ list: z.base64().max(1_500_000) });

export async function operatorServer(context: OperatorContext): Promise<FastifyInstance> {
  const server = Fastify({
    bodyLimit: maxStudyBytes,
    logger: false,
    forceCloseConnections: true,
    // An address that is no URL comes to no route, so not to the handlers below either.
    frameworkErrors: (_, request, reply) => noRoute(request, reply),
  });
  await server.register(helmet, { global: true });
  await server.register(rateLimit, {
    max: strangersPerMinute,
    timeWindow: "1 minute",
    allowList: (request) => hasToken(context, request),
    errorResponseBuilder: (_, { max }) =>
      Object.assign(
        new ConsiliumError(
          "RATE_LIMITED",
          `more than ${max} requests in a minute without the operator's token`,
        ),
        { statusCode: 429 },
      ),
  });
  server.addContentTypeParser(
    ["application/yaml", "text/yaml", "text/plain"],
    { parseAs: "string" },
    (_, body, done) => done(null, body),
  );
  server.setErrorHandler((error, _, reply) => sendError(context, reply, error));
  server.setNotFoundHandler(noRoute);

  // Not limited: many machines may share one address, and a stranger's flood is no reason to be taken for dead.
  const unlimited = { config: { rateLimit: false } };
  server.get("/healthz", unlimited, async () => ({ ok: true }));
  server.get("/readyz", unlimited, async () => ({ ok: true }));
  server.get("/metrics", unlimited, async (_, reply) => {
    const { contentType, body } = await context.metrics();
    return reply.type(contentType).send(body);
  });

  await server.register(
    async (api) => {
      // After the rate limit, which is a route's own onRequest, and before the body is read.
      api.addHook("preParsing", async (request) => requireToken(context, request));
      api.get("/federation", async () => context.federation());
      api.get("/sites", async () => context.sites());
      api.post("/invitations", async (request) => {
        const body = parseBody(invitationBody, request.body);
        unwrap(parseSiteId(body.site));
        return context.invite(body.site, body.expiresInMs ?? defaultInvitationMs);
      });
      api.post("/revocations", async (request, reply) => {
        await context.revoke(Buffer.from(parseBody(revocationBody, request.body).list, "base64"));
        return reply.code(204).send();
      });
      api.post("/studies/plan", async (request) => planView(studyOf(request)));
      api.post("/studies", async (request, reply) =>
        reply.code(201).send(context.studies.start(studyOf(request))),
      );
      api.get("/studies", async () => context.studies.list());
      api.get("/studies/:id", async (request) => context.studies.view(idOf(request)));
      api.post("/studies/:id/cancel", async (request) => context.studies.cancel(idOf(request)));
      api.post("/studies/:id/resume", async (request) => context.studies.resume(idOf(request)));
      api.get("/studies/:id/events", (request, reply) => watch(context, request, reply));
    },
    { prefix: "/api" },
  );
  return server;
}

function noRoute(_: FastifyRequest, reply: FastifyReply): void {
  const error = new ConsiliumError("FIELD_INVALID", "no such route, or not by this method", {
    remedy: "check the address, and that both sides have the same version",
  });
  void reply.code(404).send(errorView(error));
}

function hasToken(context: OperatorContext, request: FastifyRequest): boolean {
  const header = request.headers.authorization ?? "";
  const token = /^Bearer ([\x21-\x7e]{1,512})$/.exec(header)?.[1] ?? "";
  const hash = createHash("sha256").update(token).digest();
  return timingSafeEqual(hash, context.tokenHash);
}

function requireToken(context: OperatorContext, request: FastifyRequest): void {
  if (!hasToken(context, request)) {
    throw new ConsiliumError("UNAUTHENTICATED", "the request carries no valid operator token");
  }
}

function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConsiliumError(
    "FIELD_INVALID",
    `${issue?.path.join(".") || "body"}: ${issue?.message ?? "invalid"}`,
  );
}

function studyOf(request: FastifyRequest) {
  let raw: unknown;
  try {
    raw =
      typeof request.body === "string"
        ? parseYaml(request.body, { maxAliasCount: 0, logLevel: "error" })
        : request.body;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.split("\n")[0] : "";
    throw new ConsiliumError("STUDY_INVALID", `the file is not YAML: ${reason}`);
  }
  return unwrap(parseStudy(raw));
}

function idOf(request: FastifyRequest): StudyId {
  const parsed = parseStudyId((request.params as { id: string }).id);
  if (!parsed.ok) throw new ConsiliumError("STUDY_UNKNOWN", "that is not a study's id");
  return parsed.value;
}

/** Server-sent events: the study's view now, then whenever it changes, until it has ended. */
function watch(context: OperatorContext, request: FastifyRequest, reply: FastifyReply): void {
  const id = idOf(request);
  let view = context.studies.view(id);
  reply.hijack();
  const out = reply.raw;
  out.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  let pending: NodeJS.Timeout | undefined;
  const close = () => {
    context.studies.off("changed", onChanged);
    clearTimeout(pending);
    clearInterval(keepalive);
    out.end();
  };
  // A watcher that reads slowly gets the newest view when it has read the last one, not all between.
  let isStale = false;
  const send = () => {
    pending = undefined;
    isStale = out.writableNeedDrain;
    if (isStale) return;
    try {
      view = context.studies.view(id);
    } catch (thrown) {
      context.log.error("a study could not be shown", { study: id }, thrown);
      close();
      return;
    }
    out.write(`data: ${JSON.stringify(view)}\n\n`);
    if (view.endedAt !== null) close();
  };
  const onChanged = (changed: StudyId) => {
    if (changed === id) pending ??= setTimeout(send, eventIntervalMs);
  };
  const keepalive = setInterval(() => {
    if (!out.writableNeedDrain) out.write(": still here\n\n");
  }, keepaliveMs);
  out.on("drain", () => {
    if (isStale) send();
  });
  out.on("close", close);
  out.on("error", close);
  context.studies.on("changed", onChanged);
  send();
}

function sendError(context: OperatorContext, reply: FastifyReply, thrown: unknown): void {
  const status = (thrown as { statusCode?: number }).statusCode;
  if (!(thrown instanceof ConsiliumError) && status !== undefined && status < 500) {
    const code: ErrorCode = status === 413 ? "MESSAGE_TOO_LARGE" : "FIELD_INVALID";
    void reply.code(status).send(errorView(new ConsiliumError(code, (thrown as Error).message)));
    return;
  }
  const error = toConsiliumError(thrown);
  if (error.code === "INTERNAL") context.log.error("a request failed", {}, thrown);
  void reply.code(httpStatus(error.code)).send(errorView(error));
}

function errorView(error: ConsiliumError): ErrorView {
  return { code: error.code, message: error.message, remedy: error.remedy };
}

function httpStatus(code: ErrorCode): number {
  switch (code) {
    case "UNAUTHENTICATED":
      return 401;
    case "STUDY_UNKNOWN":
      return 404;
    case "STUDY_STATE":
    case "ROSTER_TOO_SMALL":
      return 409;
    case "RATE_LIMITED":
      return 429;
    case "INTERNAL":
      return 500;
    default:
      return 400;
  }
}
