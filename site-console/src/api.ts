import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { softwareVersion } from "@consilium/core/version";
import { consoleSocketName } from "@consilium/runtime/home";
import { type ConsoleAccess, commandLineCaller } from "@consilium/runtime/http/access/access";
import { routeAudit } from "@consilium/runtime/http/access/audit";
import { routeOpenApi } from "@consilium/runtime/http/openapi";
import { measureRequests, routeOperations } from "@consilium/runtime/http/operations";
import { servePages } from "@consilium/runtime/http/pages";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import type { PagesCertificate } from "@consilium/runtime/http/tls";
import type { Metrics } from "@consilium/runtime/metrics";
import type { Notifications } from "@consilium/runtime/notify/notifications";
import { routeNotifications } from "@consilium/runtime/notify/routes";
import { isLoopbackAddress } from "@consilium/runtime/tls/address";
import type { AuditLog } from "./auditLog.js";
import { type DataProtectionContext, routeDataProtection } from "./dataProtection/routes.js";
import { routeDeputies } from "./deputyRoutes.js";
import { routeLedger } from "./ledgerRoutes.js";
import { mergedMetrics } from "./metricsText.js";
import { routePolicy } from "./policyRoutes.js";
import { routeStatus, type StatusRoutesContext } from "./statusRoutes.js";
import { type DecisionContext, routeStudies } from "./studyRoutes.js";

/** What the routes ask: the agent, and of the console itself its accounts and its audit log. */
export interface ConsoleContext extends StatusRoutesContext, DecisionContext, DataProtectionContext {
  readonly auditLog: AuditLog;
  readonly access: ConsoleAccess;
  /** Of the console itself; the agent's come from the agent. */
  readonly metrics: Metrics;
  readonly trustedProxies: readonly string[];
  /** Null: the pages are served without TLS. */
  readonly certificate: PagesCertificate | null;
  readonly notifications: Notifications;
  readonly site: string;
}

export const bodyMaxBytes = 4 * 1024 * 1024;

/**
 * The Unix socket `console.sock` in the console's state folder, for `consilium account`, `token` and `site
 * data-protection`. Only the folder's owner can open it, so it asks for no password.
 */
export async function listenForOwner(stateFolder: string, context: ConsoleContext): Promise<HttpServer> {
  const server = await createHttpServer({
    log: context.log,
    access: () => commandLineCaller("administrator"),
    bodyMaxBytes,
    // A table's description takes its time where tables are large or far away.
    idleTimeoutMs: 0,
  });
  context.access.routeForOwner(server);
  routeDataProtection(server, context);
  const path = join(stateFolder, consoleSocketName);
  // The state folder's lock is ours, so a socket that is there is a leftover.
  await rm(path, { force: true });
  await server.listen({ path });
  await chmod(path, 0o600);
  return server;
}

export const hospitalApi = {
  title: "Consilium site console",
  description: "The hospital's own API: its studies, its ledger, its policy.",
  version: softwareVersion,
};

/** Everything under `/api` but accounts. */
export function routeHospital(server: HttpServer, context: ConsoleContext): void {
  const { auditLog, notifications, site } = context;
  routeAudit(server, {
    role: "approver",
    trail: async (page) => {
      await auditLog.copyFromAgent();
      return auditLog.page(page);
    },
  });
  routeOpenApi(server, hospitalApi);
  routeStatus(server, context);
  routeStudies(server, context);
  routeDeputies(server, context.deputies);
  routeLedger(server, context);
  routePolicy(server, context);
  routeDataProtection(server, context);
  routeNotifications(server, {
    notifications,
    reader: "approver",
    tester: "administrator",
    name: () => site,
  });
}

/** Of one address that has not signed in and has no token. */
const strangersPerMinute = 600;

/** `/metrics` is open to anyone who reaches the address, so that what the hospital has spent has an address of its own. */
function routeLedgerMetrics(server: HttpServer, { agent }: ConsoleContext): void {
  const options = { config: { role: "approver" }, schema: { hide: true } } as const;
  server.get("/metrics/ledger", options, async (request, reply) => {
    if (!isLoopbackAddress(request.socket.remoteAddress ?? "")) {
      throw new ConsiliumError(
        "NOT_PERMITTED",
        "the ledger's metrics are only available on the console's machine",
        {
          remedy: "scrape them from that machine, with an API token with the role approver",
        },
      );
    }
    const { contentType, ledger } = await agent.metrics({});
    return reply.type(contentType).send(ledger);
  });
}

/** Health and metrics of both processes: the agent itself listens on no port. */
function routeBoth(server: HttpServer, { agent, metrics, log }: ConsoleContext): void {
  const health = () => agent.health({}).catch(() => null);
  routeOperations(server, {
    ready: async () => (await health())?.connected === true,
    disk: { fault: async () => (await health())?.code ?? null },
    metrics: {
      render: async () => {
        const own = await metrics.render();
        try {
          const { agent: text } = await agent.metrics({});
          return { contentType: own.contentType, body: mergedMetrics(text, own.body) };
        } catch (thrown) {
          log.warn("the agent's metrics are missing: no answer from the agent", {}, thrown);
          return own;
        }
      },
    },
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
    tls: context.certificate ?? undefined,
    // A profile of a large table takes its time.
    idleTimeoutMs: 600_000,
    rateLimit: { perMinute: strangersPerMinute, exempt: context.access.recognises },
  });
  measureRequests(server, context.metrics);
  routeBoth(server, context);
  routeLedgerMetrics(server, context);
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
