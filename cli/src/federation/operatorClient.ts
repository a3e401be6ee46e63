import { ConsiliumError } from "@consilium/core/errors";
import type { InvitationListEntry, ReleaseWithdrawal } from "@consilium/core/operator/consoleViews";
import type { SiteTableView, TableNameView, TableView } from "@consilium/core/operator/tableViews";
import type {
  ExistingSite,
  FederationView,
  InvitationView,
  SiteView,
  StudySummary,
  StudyView,
} from "@consilium/core/operator/views";
import type { paths } from "@consilium/runtime/http/openapi/generated/operator";
import type { Client } from "openapi-fetch";
import { answerOf, apiClient } from "../http/apiClient.js";
import { answerFault, call, notOurs, parseJson, type Remote, readText } from "../http/reach.js";

/** A path of the OpenAPI document with its placeholder filled in. */
type WithId<Path> = Path extends `${infer Head}{id}${infer Tail}` ? `${Head}${string}${Tail}` : never;

/** The timeout of a single response of the aggregator; event streams have none. */
const answerTimeoutMs = 30_000;

/** The aggregator's operator API (core/src/operator/views.ts). */
export interface OperatorClient {
  readonly remote: Remote;
  /** For routes without a function here. */
  readonly api: Client<paths>;
  federation(): Promise<FederationView>;
  sites(): Promise<SiteView[]>;
  /** The tables of one site, with the columns that it shares. */
  siteTables(site: string): Promise<SiteTableView[]>;
  tables(): Promise<TableNameView[]>;
  /** A table's columns over all sites. */
  table(name: string): Promise<TableView>;
  invite(request: { site: string; expiresInMs?: number; existing?: ExistingSite }): Promise<InvitationView>;
  invitations(): Promise<InvitationListEntry[]>;
  /** @param id - of the list */
  withdraw(id: string): Promise<void>;
  /** The signed list of expelled sites, as `issueRevocations` made it. */
  revoke(signedList: Uint8Array): Promise<void>;
  studies(): Promise<StudySummary[]>;
  study(id: string): Promise<StudyView>;
  /** What somebody should know before a study, given as YAML, starts: of its plan, and of the sites' tables. */
  warnings(yaml: string): Promise<readonly string[]>;
  /** Starts a study given as YAML (canonical JSON is valid YAML). */
  start(yaml: string): Promise<StudyView>;
  cancel(id: string): Promise<StudyView>;
  resume(id: string): Promise<StudyView>;
  /** Begins with the sites that have joined. */
  proceed(id: string): Promise<StudyView>;
  /** @param until - ISO 8601 */
  extend(id: string, until: string): Promise<StudyView>;
  /** Withdraws a release, for good. */
  withdrawRelease(id: string, body: { reason: string; supersededBy?: string }): Promise<ReleaseWithdrawal>;
  /** Says which release supersedes another. */
  supersedeRelease(id: string, body: { reason: string; by: string }): Promise<ReleaseWithdrawal>;
  /** The open event stream of a study; the caller reads its body. */
  events(id: string, signal: AbortSignal): Promise<Response>;
}

export function operatorClient(target: {
  url: string;
  token: string;
  interrupted: AbortSignal;
}): OperatorClient {
  const remote: Remote = {
    name: `the aggregator at ${target.url}`,
    unreachable: "UNREACHABLE",
    remedy: "start it with `consilium serve aggregator`, or give its address with --aggregator",
  };
  const authorization = { authorization: `Bearer ${target.token}` };
  const api = apiClient<paths>({
    remote,
    url: target.url,
    headers: authorization,
    timeoutMs: answerTimeoutMs,
    interrupted: target.interrupted,
  });
  const asYaml = (text: string) => ({
    body: text,
    bodySerializer: String,
    headers: { "content-type": "application/yaml" },
  });
  const byId = (id: string) => ({ params: { path: { id } } });

  return {
    remote,
    api,
    federation: async () => {
      const view = await answerOf(remote, api.GET("/api/federation"));
      if (!hasText(view, ["federation", "rootFingerprint"])) throw notOurs(remote, "unexpected response");
      return view;
    },
    sites: async () => listOf(remote, await answerOf(remote, api.GET("/api/sites")), ["id", "presence"]),
    siteTables: async (site) =>
      listOf(remote, await answerOf(remote, api.GET("/api/sites/{id}/tables", byId(site))), ["name"]),
    tables: async () => listOf(remote, await answerOf(remote, api.GET("/api/tables")), ["name"]),
    table: async (name) => {
      const view = await answerOf(remote, api.GET("/api/tables/{name}", { params: { path: { name } } }));
      if (!hasText(view, ["name"]) || !Array.isArray(view.columns))
        throw notOurs(remote, "unexpected response: not a table");
      return view;
    },
    invite: async (body) => {
      const view = await answerOf(remote, api.POST("/api/invitations", { body }));
      if (!hasText(view, ["site", "token", "expiresAt"])) throw notOurs(remote, "unexpected response");
      return view;
    },
    invitations: async () =>
      listOf(remote, await answerOf(remote, api.GET("/api/invitations")), ["id", "site", "state"]),
    withdraw: async (id) => {
      await answerOf(remote, api.DELETE("/api/invitations/{id}", byId(id)));
    },
    revoke: async (signedList) => {
      const list = Buffer.from(signedList).toString("base64");
      await answerOf(remote, api.POST("/api/revocations", { body: { list } }));
    },
    studies: async () => listOf(remote, await answerOf(remote, api.GET("/api/studies")), ["id", "status"]),
    study: async (id) =>
      readStudyView(remote, await answerOf(remote, api.GET("/api/studies/{id}", byId(id)))),
    warnings: async (yaml) =>
      (await answerOf(remote, api.POST("/api/studies/check", asYaml(yaml))))?.plan?.warnings ?? [],
    start: async (yaml) => {
      const call = api.POST("/api/studies", asYaml(yaml));
      return readStudyView(remote, await answerOf(remote, call));
    },
    cancel: async (id) =>
      readStudyView(remote, await answerOf(remote, api.POST("/api/studies/{id}/cancel", byId(id)))),
    resume: async (id) =>
      readStudyView(remote, await answerOf(remote, api.POST("/api/studies/{id}/resume", byId(id)))),
    proceed: async (id) =>
      readStudyView(remote, await answerOf(remote, api.POST("/api/studies/{id}/proceed", byId(id)))),
    extend: async (id, until) => {
      const call = api.POST("/api/studies/{id}/extend", { ...byId(id), body: { until } });
      return readStudyView(remote, await answerOf(remote, call));
    },
    withdrawRelease: async (id, body) =>
      readWithdrawal(
        remote,
        await answerOf(remote, api.POST("/api/releases/{id}/withdraw", { ...byId(id), body })),
      ),
    supersedeRelease: async (id, body) =>
      readWithdrawal(
        remote,
        await answerOf(remote, api.POST("/api/releases/{id}/supersede", { ...byId(id), body })),
      ),
    events: async (id, signal) => {
      const path = `/api/studies/${encodeURIComponent(id)}/events` satisfies WithId<keyof paths>;
      const response = await call(remote, `${target.url}${path}`, {
        timeoutMs: null,
        signal,
        headers: { ...authorization, accept: "text/event-stream" },
      });
      if (response.ok) return response;
      throw answerFault(remote, response.status, parseJson(await readText(response, 1 << 20)));
    },
  };
}

function readWithdrawal(remote: Remote, view: ReleaseWithdrawal): ReleaseWithdrawal {
  if (hasText(view, ["release", "status", "reason", "issuedAt"])) return view;
  throw notOurs(remote, "unexpected response: not a withdrawal");
}

/** A StudyView; the fields that the command line reads are checked. */
export function readStudyView(remote: Remote, json: unknown): StudyView {
  const view = json as Partial<StudyView> | null;
  if (
    !hasText(view, ["id", "name", "status", "analysis"]) ||
    !Array.isArray(view?.steps) ||
    !Array.isArray(view.siteStates) ||
    typeof view.claim !== "object"
  ) {
    throw notOurs(remote, "unexpected response: not a study");
  }
  return view as StudyView;
}

/**
 * A list whose entries have these text fields: only fields that are read are checked, for other versions' responses.
 */
function listOf<T>(remote: Remote, json: readonly T[], texts: readonly (keyof T & string)[]): T[] {
  if (!Array.isArray(json) || !json.every((entry: unknown) => hasText(entry, texts))) {
    throw notOurs(remote, "unexpected response: not a list");
  }
  return json;
}

function hasText(value: unknown, keys: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return keys.every((key) => typeof members[key] === "string");
}

/**
 * The one study whose id is `given` or starts with it.
 * @throws ConsiliumError STUDY_UNKNOWN if there is none, USAGE if there are several
 */
export function resolveStudy(studies: readonly StudySummary[], given: string): StudySummary {
  const exact = studies.find((study) => study.id === given);
  if (exact !== undefined) return exact;
  const matches = given === "" ? [] : studies.filter((study) => study.id.startsWith(given));
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) throw new ConsiliumError("STUDY_UNKNOWN", `no study id starts with ${given}`);
  const ids = matches.slice(0, 5).map((study) => study.id);
  const more = matches.length > 5 ? ` and ${matches.length - 5} more` : "";
  throw new ConsiliumError("USAGE", `${given} is ambiguous: ${ids.join(", ")}${more}`, {
    remedy: "give more characters of the id",
  });
}
