import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import type { Metrics } from "@consilium/runtime/metrics";
import Fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { formatProfile } from "../data/profileText.js";
import type { Tables } from "../data/tables.js";
import { type LedgerRoutesContext, routeLedger } from "../ledger/routes.js";
import type { Connection } from "../rpc/connection.js";
import type { Joining } from "../studies/joining.js";
import { explainedStudy, listStudies, type StudyViewsContext, studyIdOfPath } from "./studyViews.js";

/** What the hospital's own tools ask of the running agent. */
export interface ConsoleContext extends StudyViewsContext, LedgerRoutesContext {
  readonly connection: Connection;
  readonly joining: Joining;
  readonly tables: Tables;
  readonly metrics: Metrics;
}

const profileBody = z.strictObject({ study: z.string().max(2_000_000) });
const refusalBody = z.strictObject({ reason: z.string().max(2_000).nullable() });

/**
 * The Unix socket `agent.sock` in the state folder, for `consilium site …`. Only the folder's owner can open it, so
 * it asks for no password; what it shows, such as a table's profile, is for the hospital alone.
 */
export async function listenOnSocket(stateFolder: string, context: ConsoleContext): Promise<FastifyInstance> {
  const server = Fastify({ logger: false, bodyLimit: 4 * 1024 * 1024, forceCloseConnections: true });
  server.setErrorHandler((error, _, reply) => sendError(reply, error));
  server.setNotFoundHandler(noRoute);
  server.get("/status", async () => statusView(context));
  server.post("/profile", async (request) => {
    const body = profileBody.safeParse(request.body);
    if (!body.success)
      throw new ConsiliumError("FIELD_INVALID", "the request needs the text of a study file");
    const report = await context.tables.profile(unwrap(parseStudy(readYaml(body.data.study))));
    return { report, text: formatProfile(report) };
  });
  routeStudies(server, context);
  routeLedger(server, context);
  const path = join(stateFolder, "agent.sock");
  // The state folder's lock is ours, so a socket that is there is a leftover.
  await rm(path, { force: true });
  await server.listen({ path });
  await chmod(path, 0o600);
  return server;
}

/** Studies that were offered, and what a person decides on them. */
function routeStudies(server: FastifyInstance, context: ConsoleContext): void {
  const { joining, connection } = context;
  type ById = { Params: { id: string } };
  const decided = (id: string) => ({
    study: explainedStudy(context, studyIdOfPath(id)),
    connected: connection.status.connected,
  });
  server.get("/studies", async () => listStudies(context));
  server.get<ById>("/studies/:id", async ({ params }) => explainedStudy(context, studyIdOfPath(params.id)));
  server.post<ById>("/studies/:id/approve", async ({ params }) => {
    await joining.approve(studyIdOfPath(params.id));
    return decided(params.id);
  });
  server.post<ById>("/studies/:id/refuse", async ({ params, body }) => {
    const refusal = refusalBody.safeParse(body);
    if (!refusal.success)
      throw new ConsiliumError(
        "FIELD_INVALID",
        "a refusal has a reason of at most 2,000 characters, or null",
      );
    joining.refuse(studyIdOfPath(params.id), refusal.data.reason);
    return decided(params.id);
  });
}

/** Health and metrics over HTTP, on loopback unless configured otherwise: no study, no data. */
export async function listenForHealth(
  address: { readonly host: string; readonly port: number },
  context: ConsoleContext,
): Promise<FastifyInstance> {
  const server = Fastify({ logger: false, forceCloseConnections: true });
  server.setErrorHandler((error, _, reply) => sendError(reply, error));
  server.setNotFoundHandler(noRoute);
  server.get("/healthz", async () => ({ ok: true }));
  server.get("/readyz", async (_, reply) => {
    const { connected } = context.connection.status;
    return reply.code(connected ? 200 : 503).send({ ok: connected });
  });
  server.get("/metrics", async (_, reply) => {
    const { contentType, body } = await context.metrics.render();
    return reply.type(contentType).send(body);
  });
  try {
    await server.listen(address);
  } catch (cause) {
    throw new ConsiliumError("PORT_IN_USE", `the console cannot listen on ${address.host}:${address.port}`, {
      cause,
    });
  }
  return server;
}

function statusView(context: ConsoleContext) {
  const { connection, records, tables, policy } = context;
  const { status, identity } = connection;
  return {
    site: identity.id,
    federation: identity.federation,
    software: softwareVersion,
    connected: status.connected,
    connectedSince: status.since === null ? null : new Date(status.since).toISOString(),
    lastFault: status.lastFault,
    aggregatorSoftware: status.aggregatorSoftware,
    certificateExpiresAt: new Date(identity.notAfter).toISOString(),
    signingKeyFingerprint: identity.fingerprint,
    tables: tables.names,
    policy: policy.status(),
    studies: records.studies().map((study) => ({
      id: study.id,
      name: study.name,
      status: study.status,
      firstSeenAt: new Date(study.firstSeenAt).toISOString(),
      endedAt: study.endedAt === null ? null : new Date(study.endedAt).toISOString(),
      code: study.localCode,
      reason: study.localReason,
    })),
  };
}

function readYaml(text: string): unknown {
  try {
    return parseYaml(text, { maxAliasCount: 0, logLevel: "error" });
  } catch {
    throw new ConsiliumError("STUDY_INVALID", "the study file is not YAML");
  }
}

/** What a framework's error says may quote the request, so of it only the status goes on. */
function sendError(reply: FastifyReply, thrown: unknown): void {
  const status = (thrown as { statusCode?: number }).statusCode;
  const isRefused = !(thrown instanceof ConsiliumError) && status !== undefined && status < 500;
  const error = isRefused
    ? new ConsiliumError(status === 413 ? "MESSAGE_TOO_LARGE" : "FIELD_INVALID", "the request is malformed")
    : toConsiliumError(thrown);
  const answered = isRefused ? status : error.code === "INTERNAL" ? 500 : 400;
  void reply.code(answered).send({ code: error.code, message: error.message, remedy: error.remedy });
}

function noRoute(_: unknown, reply: FastifyReply): void {
  const error = new ConsiliumError("FIELD_INVALID", "no such route");
  void reply.code(404).send({ code: error.code, message: error.message, remedy: error.remedy });
}
