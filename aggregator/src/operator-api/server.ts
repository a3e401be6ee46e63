import { ConsiliumError } from "@consilium/core/errors";
import { parseSiteId, parseStudyId, type StudyId } from "@consilium/core/ids";
import type { FederationView, InvitationView, SiteView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { planView } from "@consilium/core/study/planView";
import { parseStudy } from "@consilium/core/study/study";
import { eventStreamType, sendEvents } from "@consilium/runtime/http/events";
import { measureRequests, routeOperations } from "@consilium/runtime/http/operations";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import type { Metrics } from "@consilium/runtime/metrics";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import type { Studies } from "../rounds/studies.js";
import { hasToken, requireToken } from "./tokenAccess.js";

/** The operator's HTTP API: core/src/operator/views.ts lists the routes. */
export interface OperatorContext {
  readonly studies: Studies;
  readonly federation: () => FederationView;
  readonly sites: () => SiteView[];
  readonly invite: (site: string, lifetimeMs: number) => InvitationView;
  readonly revoke: (list: Uint8Array) => Promise<void>;
  readonly tokenHash: Uint8Array;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const bodyMaxBytes = 2 * 1024 * 1024;
const defaultInvitationMs = 24 * 3_600_000;
const maxInvitationMs = 30 * 86_400_000;
/** Of one address without the operator's token: whoever tries tokens. */
const strangersPerMinute = 600;
const yamlTypes = ["application/yaml", "text/yaml", "text/plain"];

const operator = { role: "operator" } as const;
const viewer = { role: "viewer" } as const;
const byId = z.object({ id: z.string() });
const invitationBody = z.strictObject({
  site: z.string().max(40),
  expiresInMs: z.int().min(1_000).max(maxInvitationMs).optional(),
});
const revocationBody = z.strictObject({ list: z.base64().max(1_500_000) });
const studySchema = {
  body: z.unknown(),
  bodyTypes: ["application/yaml", "application/json"],
};

export async function operatorServer(context: OperatorContext): Promise<HttpServer> {
  const server = await createHttpServer({
    log: context.log,
    access: (request) => requireToken(context.tokenHash, request),
    bodyMaxBytes,
    rateLimit: {
      perMinute: strangersPerMinute,
      exempt: (request) => hasToken(context.tokenHash, request),
    },
  });
  measureRequests(server, context.metrics);
  routeOperations(server, { ready: () => true, metrics: context.metrics });
  routeOperator(server, context);
  return server;
}

/** Everything under `/api`. */
export function routeOperator(server: HttpServer, context: OperatorContext): void {
  server.addContentTypeParser(yamlTypes, { parseAs: "string" }, (_, body, done) => done(null, body));
  server.get("/api/federation", { config: viewer }, async () => context.federation());
  server.get("/api/sites", { config: viewer }, async () => context.sites());
  server.post(
    "/api/invitations",
    { config: operator, schema: { body: invitationBody } },
    async ({ body }) => {
      unwrap(parseSiteId(body.site));
      return context.invite(body.site, body.expiresInMs ?? defaultInvitationMs);
    },
  );
  server.post(
    "/api/revocations",
    { config: operator, schema: { body: revocationBody } },
    async ({ body }, reply) => {
      await context.revoke(Buffer.from(body.list, "base64"));
      return reply.code(204).send();
    },
  );
  routeStudies(server, context);
}

function routeStudies(server: HttpServer, context: OperatorContext): void {
  const { studies } = context;
  server.post("/api/studies/plan", { config: viewer, schema: studySchema }, async ({ body }) =>
    planView(studyOf(body)),
  );
  server.post("/api/studies", { config: operator, schema: studySchema }, async ({ body }, reply) =>
    reply.code(201).send(studies.start(studyOf(body))),
  );
  server.get("/api/studies", { config: viewer }, async () => studies.list());
  const schema = { params: byId };
  server.get("/api/studies/:id", { config: viewer, schema }, async ({ params }) =>
    studies.view(idOf(params.id)),
  );
  server.post("/api/studies/:id/cancel", { config: operator, schema }, async ({ params }) =>
    studies.cancel(idOf(params.id)),
  );
  server.post("/api/studies/:id/resume", { config: operator, schema }, async ({ params }) =>
    studies.resume(idOf(params.id)),
  );
  server.get(
    "/api/studies/:id/events",
    { config: viewer, schema: { ...schema, answerType: eventStreamType } },
    async (request, reply) => {
      const id = idOf(request.params.id);
      return sendEvents(request, reply, {
        now: () => studies.view(id),
        subscribe: (changed) => {
          const onChanged = (which: StudyId) => {
            if (which === id) changed();
          };
          studies.on("changed", onChanged);
          return () => studies.off("changed", onChanged);
        },
        isLast: (view) => view.endedAt !== null,
        failed: (thrown) => context.log.error("a study could not be shown", { study: id }, thrown),
      });
    },
  );
}

function studyOf(body: unknown) {
  let raw: unknown;
  try {
    raw = typeof body === "string" ? parseYaml(body, { maxAliasCount: 0, logLevel: "error" }) : body;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.split("\n")[0] : "";
    throw new ConsiliumError("STUDY_INVALID", `the file is not YAML: ${reason}`);
  }
  return unwrap(parseStudy(raw));
}

function idOf(text: string): StudyId {
  const parsed = parseStudyId(text);
  if (!parsed.ok) throw new ConsiliumError("STUDY_UNKNOWN", "that is not a study's id");
  return parsed.value;
}
