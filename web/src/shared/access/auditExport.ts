import type { AuditEventView, AuditView } from "@consilium/core/access/views";
import { request } from "../api";
import { csvOf, jsonLinesOf } from "../exporting";
import { detailText } from "./auditDetail";
import { type AuditFilter, type AuditWords, kindText, queryOf } from "./auditFilter";

/** The audit log as a file: every event that the filter lets through, newest first. */

export type AuditFormat = "csv" | "jsonl";

/** The service's own limit of a page. */
const pageLength = 500;
/** A browser holds so many; a longer log is exported in parts, by the filter. */
export const exportedMost = 100_000;

/**
 * CSV is for people: one column for each thing, as the page says it. JSON lines are for programs: events as the API has them.
 */
export function auditText(
  events: readonly AuditEventView[],
  format: AuditFormat,
  words: Pick<AuditWords, "kinds" | "itself" | "hasSites">,
): string {
  if (format === "jsonl") return jsonLinesOf(events);
  const columns = ["id", "at", "who", "what", "study", ...(words.hasSites ? ["site"] : []), "detail"];
  const lines = events.map((event) => ({
    ...event,
    who: event.actor ?? event.site ?? words.itself,
    what: kindText(event.kind, words),
    detail: detailText(event),
  }));
  return csvOf(lines, columns);
}

/** @throws ApiError */
export async function auditEvents(filter: AuditFilter): Promise<{
  readonly events: readonly AuditEventView[];
  /** There are older ones, which are not among them. */
  readonly isCut: boolean;
}> {
  const events: AuditEventView[] = [];
  let before = "";
  for (;;) {
    const path = `/api/audit?limit=${pageLength}${before}${queryOf(filter)}`;
    const page = await request<AuditView>("GET", path);
    events.push(...page.events);
    if (page.next === null) return { events, isCut: false };
    if (events.length >= exportedMost) return { events, isCut: true };
    before = `&before=${page.next}`;
  }
}

export interface AuditGroup {
  /** Null: of no study. */
  readonly study: string | null;
  /** Newest first. */
  readonly events: readonly AuditEventView[];
}

/** Events by their study: the study with the newest event comes first, and what is of no study last. */
export function byStudy(events: readonly AuditEventView[]): AuditGroup[] {
  const groups = new Map<string | null, AuditEventView[]>();
  for (const event of events) {
    const own = groups.get(event.study);
    if (own === undefined) groups.set(event.study, [event]);
    else own.push(event);
  }
  return [...groups]
    .map(([study, own]) => ({ study, events: own }))
    .sort((a, b) => Number(a.study === null) - Number(b.study === null));
}
