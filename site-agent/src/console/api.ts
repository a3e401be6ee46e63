import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import { measureRequests, routeOperations } from "@consilium/runtime/http/operations";
import { servePages } from "@consilium/runtime/http/pages";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import type { Metrics } from "@consilium/runtime/metrics";
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

const bodyMaxBytes = 4 * 1024 * 1024;
const approver = { role: "approver" } as const;
const profileBody = z.strictObject({ study: z.string().max(2_000_000) });
const refusalBody = z.strictObject({ reason: z.string().max(2_000).nullable() });
const byId = z.object({ id: z.string() });

/**
 * The Unix socket `agent.sock` in the state folder, for `consilium site …`. Only the folder's owner can open it, so
 * it asks for no password; what it shows, such as a table's profile, is for the hospital alone.
 */
export async function listenOnSocket(stateFolder: string, context: ConsoleContext): Promise<HttpServer> {
  const server = await createHttpServer({
    log: context.log,
    access: () => ({ name: "the state folder's owner", role: "administrator" }),
    bodyMaxBytes,
    // A profile of a large table takes its time.
    idleTimeoutMs: 0,
  });
  routeHospital(server, context);
  const path = join(stateFolder, "agent.sock");
  // The state folder's lock is ours, so a socket that is there is a leftover.
  await rm(path, { force: true });
  await server.listen({ path });
  await chmod(path, 0o600);
  return server;
}

export const hospitalApi = {
  title: "Consilium site agent",
  description: "The hospital's own API: its studies, its ledger, its policy.",
  version: softwareVersion,
};

/** Everything under `/api`. */
export function routeHospital(server: HttpServer, context: ConsoleContext): void {
  server.get("/api/status", { config: approver }, async () => statusView(context));
  server.post("/api/profile", { config: approver, schema: { body: profileBody } }, async ({ body }) => {
    const report = await context.tables.profile(unwrap(parseStudy(readYaml(body.study))));
    return { report, text: formatProfile(report) };
  });
  routeStudies(server, context);
  routeLedger(server, context);
}

/** Studies that were offered, and what a person decides on them. */
function routeStudies(server: HttpServer, context: ConsoleContext): void {
  const { joining, connection } = context;
  const decided = (id: string) => ({
    study: explainedStudy(context, studyIdOfPath(id)),
    connected: connection.status.connected,
  });
  const options = { config: approver, schema: { params: byId } };
  server.get("/api/studies", { config: approver }, async () => listStudies(context));
  server.get("/api/studies/:id", options, async ({ params }) =>
    explainedStudy(context, studyIdOfPath(params.id)),
  );
  server.post("/api/studies/:id/approve", options, async ({ params }) => {
    await joining.approve(studyIdOfPath(params.id));
    return decided(params.id);
  });
  server.post(
    "/api/studies/:id/refuse",
    { config: approver, schema: { params: byId, body: refusalBody } },
    async ({ params, body }) => {
      joining.refuse(studyIdOfPath(params.id), body.reason);
      return decided(params.id);
    },
  );
}

/** Of one address that asks for what needs nobody's name. */
const strangersPerMinute = 600;

/** Health, metrics and the pages over HTTP, on loopback unless configured otherwise: no study, no data. */
export async function listenForHealth(
  address: { readonly host: string; readonly port: number },
  context: ConsoleContext,
): Promise<HttpServer> {
  const server = await createHttpServer({
    log: context.log,
    access: () => {
      throw new ConsiliumError("UNAUTHENTICATED", "no account may use this server");
    },
    rateLimit: { perMinute: strangersPerMinute },
  });
  measureRequests(server, context.metrics);
  routeOperations(server, { ready: () => context.connection.status.connected, metrics: context.metrics });
  await servePages(server, { entry: "hospital" });
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
