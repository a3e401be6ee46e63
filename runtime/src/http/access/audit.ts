import { type AuditEventView, auditQuery, auditSchema } from "@consilium/core/access/views";
import type { Role } from "../roles.js";
import type { HttpServer } from "../server.js";

/** A line of a process's trail as its store has it. */
export interface AuditRow {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: string | null;
  readonly kind: string;
  readonly study: string | null;
  readonly site: string | null;
  readonly detail: string;
}

export interface AuditPage {
  /** Lines older than the one of this id. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** Lines that have this, where it is given. */
  readonly study?: string | undefined;
  readonly site?: string | undefined;
  readonly actor?: string | undefined;
  readonly kind?: string | undefined;
  /** Lines from this moment on, milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Lines before this moment. */
  readonly until?: number | undefined;
  /** Lines with an actor alone. */
  readonly people?: boolean | undefined;
}

const narrowing = ["study", "site", "actor", "kind"] as const;

/** What a page asks for as SQL: a condition, with the values of its question marks. */
export function auditCondition(page: AuditPage): {
  readonly sql: string;
  readonly values: readonly (string | number)[];
} {
  const given = narrowing.flatMap((column) => {
    const value = page[column];
    return value === undefined ? [] : [{ column, value }];
  });
  const times = [
    { sql: "at >= ?", value: page.from },
    { sql: "at < ?", value: page.until },
  ].flatMap(({ sql, value }) => (value === undefined ? [] : [{ sql, value }]));
  return {
    sql: [
      "id < ?",
      ...given.map(({ column }) => `${column} = ?`),
      ...times.map(({ sql }) => sql),
      ...(page.people === true ? ["actor IS NOT NULL"] : []),
    ].join(" AND "),
    values: [
      page.before ?? Number.MAX_SAFE_INTEGER,
      ...given.map(({ value }) => value),
      ...times.map(({ value }) => value),
    ],
  };
}

/** `GET /api/audit`: who did what, newest first, a page at a time. */
export function routeAudit(
  server: HttpServer,
  options: {
    readonly role: Exclude<Role, "public">;
    readonly trail: (page: AuditPage) => readonly AuditRow[] | Promise<readonly AuditRow[]>;
  },
): void {
  server.get(
    "/api/audit",
    {
      config: { role: options.role },
      schema: {
        summary: "Lists audit events, newest first",
        description: "Paged: `next` of one response is `before` of the next request.",
        querystring: auditQuery,
        response: { 200: auditSchema },
      },
    },
    async ({ query }) => {
      const rows = await options.trail({
        ...query,
        from: timeOf(query.from),
        until: timeOf(query.until),
        limit: query.limit + 1,
      });
      const events = rows.slice(0, query.limit).map(viewOf);
      return { events, next: rows.length > query.limit ? events.at(-1)!.id : null };
    },
  );
}

const timeOf = (iso: string | undefined) => (iso === undefined ? undefined : Date.parse(iso));

function viewOf({ at, ...row }: AuditRow): AuditEventView {
  return { ...row, at: new Date(at).toISOString() };
}
