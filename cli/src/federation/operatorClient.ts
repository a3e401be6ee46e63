import { ConsiliumError } from "@consilium/core/errors";
import type { InvitationListEntry, ReleaseWithdrawal } from "@consilium/core/operator/consoleViews";
import { totalHeader } from "@consilium/core/operator/pages";
import type { SiteTableView, TableNameView, TableView } from "@consilium/core/operator/tableViews";
import type {
  ExistingSite,
  FederationView,
  InvitationView,
  RetentionView,
  SiteView,
  StudyQuery,
  StudySummary,
  StudyView,
} from "@consilium/core/operator/views";
import type { paths } from "@consilium/runtime/http/openapi/generated/operator";
import type { Client } from "openapi-fetch";
import { answerOf, apiClient, wholeAnswerOf } from "../http/apiClient.js";
import { answerFault, call, notOurs, parseJson, type Remote, readText } from "../http/reach.js";

/** A path of the OpenAPI document with its placeholder filled in. */
type WithId<Path> = Path extends `${infer Head}{id}${infer Tail}` ? `${Head}${string}${Tail}` : never;

/** The timeout of a single response of the aggregator; event streams have none. */
const answerTimeoutMs = 30_000;

/** What narrows a list of studies. */
export type WantedStudies = Partial<Omit<StudyQuery, "after" | "limit">>;

export interface StudyList {
  readonly studies: StudySummary[];
  /** How many there are, listed or not. */
  readonly total: number;
}

/** Studies of one response. */
const pageMost = 1_000;
/** Ids that an ambiguous start is shown with, and one more. */
const candidatesMost = 6;

/** The aggregator's operator API (core/src/operator/views.ts). */
export interface OperatorClient {
  readonly remote: Remote;
  /** For routes without a function here. */
  readonly api: Client<paths>;
  /** How long old studies are kept, and what is due. */
  retention(): Promise<RetentionView>;
  /** Removes what is due. */
  runRetention(): Promise<RetentionView>;
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
  /** Has the list of members, as `issueMembers` made it, published. */
  publishMembers(signedList: Uint8Array): Promise<void>;
  /**
   * Studies, newest first; page after page is asked for.
   * @param most - at most so many; all that there are by default
   */
  studies(wanted?: WantedStudies, most?: number): Promise<StudyList>;
  /**
   * The one study whose id is `given` or starts with it.
   * @throws ConsiliumError STUDY_UNKNOWN if there is none, USAGE if there are several
   */
  resolveStudy(given: string): Promise<StudySummary>;
  study(id: string): Promise<StudyView>;
  /** What somebody should know before a study, given as YAML, starts: of its plan, and of the sites' tables. */
  warnings(yaml: string): Promise<readonly string[]>;
  /** Starts a study given as YAML (canonical JSON is valid YAML). */
  start(yaml: string): Promise<StudyView>;
  cancel(id: string): Promise<StudyView>;
  resume(id: string): Promise<StudyView>;
  /** Releases what stands of a result. */
  accept(id: string): Promise<StudyView>;
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
  const studies = async (wanted: WantedStudies = {}, most = Number.POSITIVE_INFINITY): Promise<StudyList> => {
    const found: StudySummary[] = [];
    for (let total = 0; ; ) {
      const limit = Math.min(pageMost, most - found.length);
      const query = definedOf({ ...wanted, after: found.at(-1)?.id, limit });
      const { body, headers } = await wholeAnswerOf(remote, api.GET("/api/studies", { params: { query } }));
      const page = listOf(remote, body, ["id", "status"]);
      found.push(...page);
      total = Number(headers.get(totalHeader) ?? found.length);
      const isLast = !(headers.get("link") ?? "").includes('rel="next"');
      if (isLast || page.length === 0 || found.length >= most) return { studies: found, total };
    }
  };

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
    retention: async () => readRetention(remote, await answerOf(remote, api.GET("/api/retention"))),
    runRetention: async () => readRetention(remote, await answerOf(remote, api.POST("/api/retention/run"))),
    withdraw: async (id) => {
      await answerOf(remote, api.DELETE("/api/invitations/{id}", byId(id)));
    },
    revoke: async (signedList) => {
      const list = Buffer.from(signedList).toString("base64");
      await answerOf(remote, api.POST("/api/revocations", { body: { list } }));
    },
    publishMembers: async (signedList) => {
      const list = Buffer.from(signedList).toString("base64");
      await answerOf(remote, api.POST("/api/members", { body: { list } }));
    },
    studies,
    resolveStudy: async (given) => {
      const start = given.slice(0, 200);
      const found = given === "" ? [] : (await studies({ id: start, order: "name" }, candidatesMost)).studies;
      return oneStudy(found, given);
    },
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
    accept: async (id) =>
      readStudyView(remote, await answerOf(remote, api.POST("/api/studies/{id}/accept", byId(id)))),
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

function readRetention(remote: Remote, view: RetentionView): RetentionView {
  if (Array.isArray(view?.due)) return view;
  throw notOurs(remote, "unexpected response: no retention");
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

/** @param found - some whose ids start with `given`, by id: the shortest comes first */
function oneStudy(found: readonly StudySummary[], given: string): StudySummary {
  const exact = found.find((study) => study.id === given);
  if (exact !== undefined) return exact;
  const matches = found.filter((study) => study.id.startsWith(given));
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) throw new ConsiliumError("STUDY_UNKNOWN", `no study id starts with ${given}`);
  const ids = matches.slice(0, candidatesMost - 1).map((study) => study.id);
  const more = matches.length === candidatesMost ? " and others" : "";
  throw new ConsiliumError("USAGE", `${given} is ambiguous: ${ids.join(", ")}${more}`, {
    remedy: "give more characters of the id",
  });
}

/** Without what is undefined. */
function definedOf<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
