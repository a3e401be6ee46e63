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
}

/** `GET /api/audit`: who did what, newest first, a page at a time. */
export function routeAudit(
  server: HttpServer,
  options: {
    readonly role: Exclude<Role, "public">;
    readonly trail: (page: AuditPage) => readonly AuditRow[];
  },
): void {
  server.get(
    "/api/audit",
    {
      config: { role: options.role },
      schema: {
        summary: "Who did what, newest first",
        querystring: auditQuery,
        response: { 200: auditSchema },
      },
    },
    async ({ query }) => {
      const rows = options.trail({ before: query.before, limit: query.limit + 1 });
      const events = rows.slice(0, query.limit).map(viewOf);
      return { events, next: rows.length > query.limit ? events.at(-1)!.id : null };
    },
  );
}

function viewOf({ at, ...row }: AuditRow): AuditEventView {
  return { ...row, at: new Date(at).toISOString() };
}
