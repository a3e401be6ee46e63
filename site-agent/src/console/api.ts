import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { DoctorView } from "@consilium/core/hospital/doctorView";
import { softwareVersion } from "@consilium/core/version";
import { type ConsoleAccess, commandLineCaller } from "@consilium/runtime/http/access/access";
import { type AuditPage, type AuditRow, routeAudit } from "@consilium/runtime/http/access/audit";
import { routeOpenApi } from "@consilium/runtime/http/openapi";
import { measureRequests, routeOperations } from "@consilium/runtime/http/operations";
import { servePages } from "@consilium/runtime/http/pages";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import type { Metrics } from "@consilium/runtime/metrics";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import { isLoopbackAddress } from "@consilium/runtime/tls/address";
import type { Tables } from "../data/tables.js";
import { type DataProtectionContext, routeDataProtection } from "../dataProtection/routes.js";
import type { Ledger } from "../ledger/ledger.js";
import { type LedgerRoutesContext, routeLedger } from "../ledger/routes.js";
import type { Connection } from "../rpc/connection.js";
import type { SiteRecords } from "../studies/records.js";
import { type PolicyRoutesContext, routePolicy } from "./policyRoutes.js";
import { routeDoctor, routeStatus, type StatusRoutesContext } from "./statusRoutes.js";
import { type ProfileOptions, routeStudies, type StudyRoutesContext } from "./studyRoutes.js";

/** What the hospital's own tools ask of the running agent. */
export interface ConsoleContext
  extends StatusRoutesContext,
    StudyRoutesContext,
    LedgerRoutesContext,
    PolicyRoutesContext,
    DataProtectionContext {
  readonly connection: Connection;
  readonly records: SiteRecords;
  readonly ledger: Ledger;
  readonly tables: Tables;
  readonly disk: Pick<DiskSpace, "fault">;
  readonly metrics: Metrics;
  /** What the hospital has spent: read by who has signed in, on this machine. */
  readonly ledgerMetrics: Metrics;
  readonly access: ConsoleAccess;
  readonly trustedProxies: readonly string[];
  readonly trail: (page: AuditPage) => readonly AuditRow[];
  /** Looks at the way to the aggregator and at this machine. */
  readonly doctor: () => Promise<DoctorView>;
}

export const bodyMaxBytes = 4 * 1024 * 1024;

/**
 * The Unix socket `agent.sock` in the state folder, for `consilium site …`. Only the folder's owner can open it, so
 * it asks for no password; what it shows, such as a table's profile, is for the hospital alone.
 */
export async function listenOnSocket(stateFolder: string, context: ConsoleContext): Promise<HttpServer> {
  const server = await createHttpServer({
    log: context.log,
    access: () => commandLineCaller("administrator"),
    bodyMaxBytes,
    // A profile of a large table takes its time.
    idleTimeoutMs: 0,
  });
  context.access.routeForOwner(server);
  routeHospital(server, context, { showsValues: true });
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
export function routeHospital(
  server: HttpServer,
  context: ConsoleContext,
  options: ProfileOptions = { showsValues: false },
): void {
  routeAudit(server, { role: "approver", trail: context.trail });
  routeOpenApi(server, hospitalApi);
  routeStatus(server, context);
  routeStudies(server, context, options);
  routeLedger(server, context);
  routePolicy(server, context);
  routeDataProtection(server, context);
  routeDoctor(server, context.doctor);
}

/** Of one address that has not signed in and has no token. */
const strangersPerMinute = 600;

/** `/metrics` is open to whoever reaches the address, so that what the hospital has spent has an address of its own. */
function routeLedgerMetrics(server: HttpServer, metrics: Metrics): void {
  const options = { config: { role: "approver" }, schema: { hide: true } } as const;
  server.get("/metrics/ledger", options, async (request, reply) => {
    if (!isLoopbackAddress(request.socket.remoteAddress ?? "")) {
      throw new ConsiliumError("NOT_PERMITTED", "the ledger's metrics are read on the agent's own machine", {
        remedy: "let a Prometheus on that machine read them, with an API token of the role approver",
      });
    }
    const { contentType, body } = await metrics.render();
    return reply.type(contentType).send(body);
  });
}

/** The pages and what they ask for, health and metrics over HTTP: on loopback unless configured otherwise. */
export async function listenOnConsole(
  address: { readonly host: string; readonly port: number },
  context: ConsoleContext,
): Promise<HttpServer> {
  const server = await createHttpServer({
    log: context.log,
    access: context.access.judge,
    bodyMaxBytes,
    trustedProxies: context.trustedProxies,
    // A profile of a large table takes its time.
    idleTimeoutMs: 600_000,
    rateLimit: { perMinute: strangersPerMinute, exempt: context.access.recognises },
  });
  measureRequests(server, context.metrics);
  const { connection, disk, metrics } = context;
  routeOperations(server, { ready: () => connection.status.connected, disk, metrics });
  routeLedgerMetrics(server, context.ledgerMetrics);
  context.access.route(server);
  routeHospital(server, context);
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
