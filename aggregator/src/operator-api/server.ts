import { faults } from "@consilium/core/fault";
import { parseSiteId, type SiteId, type StudyId } from "@consilium/core/ids";
import { totalHeader } from "@consilium/core/operator/pages";
import { siteTableSchema, tableNameSchema, tableSchema } from "@consilium/core/operator/tableViews";
import {
  type ExistingSite,
  existingSite,
  type FederationView,
  federationViewSchema,
  type InvitationView,
  invitationViewSchema,
  planViewSchema,
  type SiteView,
  siteViewSchema,
  studyQuery,
  studySummarySchema,
  studyTimesSchema,
  studyViewSchema,
} from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { planView } from "@consilium/core/study/planView";
import { softwareVersion } from "@consilium/core/version";
import type { ConsoleAccess } from "@consilium/runtime/http/access/access";
import { type AuditPage, type AuditRow, routeAudit } from "@consilium/runtime/http/access/audit";
import { eventStreamType, sendEvents } from "@consilium/runtime/http/events";
import { routeOpenApi } from "@consilium/runtime/http/openapi";
import { measureRequests, routeOperations } from "@consilium/runtime/http/operations";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import type { Metrics } from "@consilium/runtime/metrics";
import type { Notifications } from "@consilium/runtime/notify/notifications";
import { routeNotifications } from "@consilium/runtime/notify/routes";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import type { Lease } from "@consilium/runtime/store/lease";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import { z } from "zod";
import type { Withdrawals } from "../release/withdrawals.js";
import type { Retention } from "../rounds/retention.js";
import type { Studies } from "../rounds/studies.js";
import type { OperatorConsole } from "./console.js";
import { routeConsole } from "./consoleRoutes.js";
import { routeQuestions } from "./questionRoutes.js";
import { routeReleases } from "./releaseRoutes.js";
import { routeRetention } from "./retentionRoutes.js";
import { byId, idOf, studyOf, studySchema } from "./studyRequests.js";

const fault = faults<AggregatorSays>();

/** The dependencies of the operator's HTTP API. */
export interface OperatorContext {
  readonly studies: Studies;
  readonly withdrawals: Pick<Withdrawals, "list" | "request">;
  readonly retention: Pick<Retention, "view" | "run">;
  readonly console: OperatorConsole;
  readonly federation: () => FederationView;
  readonly sites: () => SiteView[];
  readonly invite: (
    request: { readonly site: SiteId; readonly lifetimeMs: number; readonly existing: ExistingSite },
    actor: string,
  ) => InvitationView;
  readonly revoke: (list: Uint8Array, actor: string) => Promise<void>;
  readonly publishMembers: (list: Uint8Array) => Promise<void>;
  readonly access: ConsoleAccess;
  readonly trustedProxies: readonly string[];
  readonly trail: (page: AuditPage) => readonly AuditRow[];
  readonly disk: Pick<DiskSpace, "fault">;
  /** Null where no other aggregator can take over. */
  readonly lease: Pick<Lease, "view"> | null;
  readonly notifications: Notifications;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export const bodyMaxBytes = 2 * 1024 * 1024;
const defaultInvitationMs = 24 * 3_600_000;
const maxInvitationMs = 30 * 86_400_000;
/** The rate limit of an unauthenticated address: against guessing tokens. */
export const strangersPerMinute = 600;
const yamlTypes = ["application/yaml", "text/yaml", "text/plain"];

const operator = { role: "operator" } as const;
const viewer = { role: "viewer" } as const;
const invitationBody = z.strictObject({
  site: z.string().max(40),
  expiresInMs: z.int().min(1_000).max(maxInvitationMs).optional(),
  existing: existingSite.optional(),
});
const membersBody = z.strictObject({ list: z.base64().max(1_500_000) });
const revocationBody = z.strictObject({ list: z.base64().max(1_500_000) });

export const operatorApi = {
  title: "Consilium aggregator",
  description: "The operator's API: the federation, its sites, its studies.",
  version: softwareVersion,
};

export async function operatorServer(context: OperatorContext): Promise<HttpServer> {
  const server = await createHttpServer({
    log: context.log,
    access: context.access.judge,
    bodyMaxBytes,
    trustedProxies: context.trustedProxies,
    rateLimit: { perMinute: strangersPerMinute, exempt: context.access.recognises },
  });
  measureRequests(server, context.metrics);
  const { disk, metrics, lease } = context;
  routeOperations(server, { ready: () => true, disk, metrics, lease });
  context.access.route(server);
  routeAudit(server, { role: "viewer", trail: context.trail });
  routeOperator(server, context);
  routeOpenApi(server, operatorApi);
  return server;
}

/** Everything under `/api`. */
export function routeOperator(server: HttpServer, context: OperatorContext): void {
  server.addContentTypeParser(yamlTypes, { parseAs: "string" }, (_, body, done) => done(null, body));
  server.get(
    "/api/federation",
    { config: viewer, schema: { summary: "The federation", response: { 200: federationViewSchema } } },
    async () => context.federation(),
  );
  server.get(
    "/api/sites",
    {
      config: viewer,
      schema: { summary: "The sites and their state", response: { 200: z.array(siteViewSchema) } },
    },
    async () => context.sites(),
  );
  server.post(
    "/api/invitations",
    {
      config: { ...operator, does: false },
      schema: {
        summary: "Invites a site: a token that enrols it once",
        description:
          "A site has at most one open invitation; only one with `existing: replace` can replace an enrolled site's key.",
        body: invitationBody,
        response: { 200: invitationViewSchema },
      },
    },
    async ({ body, caller }) => {
      const request = {
        site: unwrap(parseSiteId(body.site)),
        lifetimeMs: body.expiresInMs ?? defaultInvitationMs,
        existing: body.existing ?? "refuse",
      };
      return context.invite(request, caller!.name);
    },
  );
  server.post(
    "/api/revocations",
    {
      config: { ...operator, does: "changed the list of expelled sites" },
      schema: {
        summary: "Updates the signed list of expelled sites",
        description: "The list that `consilium expel` signs with the federation's own key, in base64.",
        body: revocationBody,
        response: { 204: z.undefined() },
      },
    },
    async ({ body, caller }, reply) => {
      await context.revoke(Buffer.from(body.list, "base64"), caller!.name);
      return reply.code(204).send();
    },
  );
  server.post(
    "/api/members",
    {
      config: { ...operator, does: "published the list of members" },
      schema: {
        summary: "Publishes the signed list of members",
        description:
          "The list that `consilium members sign` signs with the federation's own key, in base64. The publisher has it when this answers.",
        body: membersBody,
        response: { 204: z.undefined() },
      },
    },
    async ({ body }, reply) => {
      await context.publishMembers(Buffer.from(body.list, "base64"));
      return reply.code(204).send();
    },
  );
  routeTables(server, context);
  routeStudies(server, context);
  routeQuestions(server, {
    of: (study) => context.studies.questions.of(study),
    answer: (...given) => context.studies.questions.answer(...given),
  });
  routeReleases(server, context);
  routeRetention(server, context);
  routeConsole(server, context);
  const { notifications } = context;
  const name = () => context.federation().federation;
  routeNotifications(server, { notifications, reader: "viewer", tester: "operator", name });
}

function routeTables(server: HttpServer, { studies }: OperatorContext): void {
  server.get(
    "/api/sites/:id/tables",
    {
      config: viewer,
      schema: {
        summary: "A site's tables, with the columns that it shares",
        description: "As its last hello named them. A site's policy may withhold columns, or tables too.",
        params: byId,
        response: { 200: z.array(siteTableSchema) },
      },
    },
    async ({ params }) => {
      const site = parseSiteId(params.id);
      if (!site.ok) throw fault("ADDRESS_UNKNOWN", "roster.site-id", {});
      return studies.siteTables(site.value);
    },
  );
  server.get(
    "/api/tables",
    {
      config: viewer,
      schema: {
        summary: "The tables that enrolled sites share",
        response: { 200: z.array(tableNameSchema) },
      },
    },
    async () => studies.tables(),
  );
  server.get(
    "/api/tables/:name",
    {
      config: viewer,
      schema: {
        summary: "A table's columns over all sites",
        description: "Names and types, never contents. TABLE_UNKNOWN where no site shares the table.",
        params: z.object({ name: z.string() }),
        response: { 200: tableSchema },
      },
    },
    async ({ params }) => studies.table(params.name),
  );
}

function routeStudies(server: HttpServer, context: OperatorContext): void {
  const { studies } = context;
  server.post(
    "/api/studies/plan",
    {
      config: viewer,
      schema: {
        summary: "Plans a study; nothing runs",
        description:
          "An invalid file is refused with STUDY_INVALID; `/api/studies/check` lists its errors. Tables and columns that the sites lack are warnings.",
        ...studySchema,
        response: { 200: planViewSchema },
      },
    },
    async ({ body }) => {
      const study = await studyOf(body, studies);
      const plan = planView(study);
      const { refusals, warnings } = studies.tableFaults(study);
      const refused = refusals.map(({ path, message }) => `${path}: ${message}; it cannot be started`);
      return { ...plan, warnings: [...plan.warnings, ...refused, ...warnings] };
    },
  );
  server.post(
    "/api/studies",
    {
      config: { ...operator, does: "started the study" },
      schema: {
        summary: "Starts a study",
        description:
          "Invites the sites and answers immediately; follow it at `/api/studies/{id}/events`. The body is a study file, YAML or JSON, as described in docs/METHODS.md. Every call starts another study.",
        ...studySchema,
        response: { 201: studyViewSchema },
      },
    },
    async (request, reply) => {
      const view = studies.start(await studyOf(request.body, studies));
      request.trail = { study: view.id };
      return reply.code(201).send(view);
    },
  );
  server.get(
    "/api/studies",
    {
      config: viewer,
      schema: {
        summary: "Studies, newest first, a page at a time",
        description: `\`after\` takes the last id of the previous page. The header \`${totalHeader}\` says how many studies there are for this query; \`link\`, where there is another page, has its address (RFC 8288, \`rel="next"\`).`,
        querystring: studyQuery,
        response: { 200: z.array(studySummarySchema) },
      },
    },
    async ({ query, url }, reply) => {
      const status = query.status === undefined ? undefined : [query.status].flat();
      const { total, studies: found } = studies.list({ ...query, status, limit: query.limit + 1 });
      const page = found.slice(0, query.limit);
      reply.header(totalHeader, total);
      if (found.length > page.length) {
        const next = new URL(url, "http://any");
        next.searchParams.set("after", page.at(-1)!.id);
        reply.header("link", `<${next.pathname}${next.search}>; rel="next"`);
      }
      return page;
    },
  );
  const schema = { params: byId, response: { 200: studyViewSchema } };
  server.get(
    "/api/studies/:id",
    { config: viewer, schema: { summary: "A study", ...schema } },
    async ({ params }) => studies.view(idOf(params.id)),
  );
  server.get(
    "/api/studies/:id/times",
    {
      config: viewer,
      schema: {
        summary: "How long each site took, step by step",
        description: "When messages arrived at the aggregator: nothing that a site reports of itself.",
        params: byId,
        response: { 200: studyTimesSchema },
      },
    },
    async ({ params }) => studies.times(idOf(params.id)),
  );
  server.post(
    "/api/studies/:id/cancel",
    {
      config: { ...operator, does: "cancelled the study" },
      schema: {
        summary: "Cancels a study",
        description:
          "Sites send no further data for it; data already sent stay charged. An ended study answers STUDY_STATE.",
        ...schema,
      },
    },
    async ({ params }) => studies.cancel(idOf(params.id)),
  );
  server.post(
    "/api/studies/:id/resume",
    {
      config: { ...operator, does: "resumed the study" },
      schema: {
        summary: "Resumes a failed study",
        description: "Continues at the failed stage, as a new attempt with new keys and noise.",
        ...schema,
      },
    },
    async ({ params }) => studies.resume(idOf(params.id)),
  );
  server.post(
    "/api/studies/:id/accept",
    {
      config: { ...operator, does: "accepted the result without its missing parts" },
      schema: {
        summary: "Releases what stands of a result",
        description:
          "Of a study that failed with RESULT_INCOMPLETE: it continues to its release without the parts that could not be computed, which the release names. No site is charged again. Any other study answers STUDY_STATE.",
        ...schema,
      },
    },
    async ({ params }) => studies.accept(idOf(params.id)),
  );
  server.post(
    "/api/studies/:id/proceed",
    {
      config: { ...operator, does: "began the study with the sites that had joined" },
      schema: {
        summary: "Begins a study with the sites that have joined",
        description:
          "As its deadline to join would. With fewer than `participation.minimumSites` it answers ROSTER_TOO_SMALL, and keeps waiting.",
        ...schema,
      },
    },
    async ({ params }) => studies.proceed(idOf(params.id)),
  );
  server.post(
    "/api/studies/:id/extend",
    {
      config: { ...operator, does: "gave the sites more time to join" },
      schema: {
        summary: "Moves a study's deadline to join",
        description:
          "Later than it is, at most 30 days after the study began. Sites that have not decided are told. Other steps keep the deadline that the sites have approved.",
        body: z.strictObject({ until: z.iso.datetime() }),
        ...schema,
      },
    },
    async (request) => {
      const { until } = request.body;
      request.trail = { detail: until };
      return studies.extend(idOf(request.params.id), Date.parse(until));
    },
  );
  server.get(
    "/api/studies/:id/events",
    {
      config: viewer,
      schema: {
        summary: "Streams a study's changes until it ends",
        description: "Each event is the whole Study; the stream ends after the one with `endedAt`.",
        ...schema,
        answerType: eventStreamType,
      },
    },
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
        failed: (thrown) => context.log.error("cannot build a study's view", { study: id }, thrown),
      });
    },
  );
}
