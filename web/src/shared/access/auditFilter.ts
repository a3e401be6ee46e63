import { type PlainMessage, served, t } from "../language";

/** The audit log's filter; empty fields match anything. It is part of the page's address, so that it can be shared. */
export interface AuditFilter {
  readonly study: string;
  readonly site: string;
  readonly actor: string;
  readonly kind: string;
  /** The first day, `2026-11-01`, by the reader's clock. */
  readonly from: string;
  /** The last day. */
  readonly until: string;
  /** `true`: only what people and programs did. */
  readonly people: string;
}

export function filterOf(params: URLSearchParams): AuditFilter {
  const part = (key: keyof AuditFilter) => params.get(key) ?? "";
  return {
    study: part("study"),
    site: part("site"),
    actor: part("actor"),
    kind: part("kind"),
    from: dayOf(part("from")),
    until: dayOf(part("until")),
    people: part("people"),
  };
}

/** An address may hold anything: what is no day does not filter. */
const dayOf = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : "";

/** The midnight at which a day begins for the reader. @param later - so many days after it */
function midnight(day: string, later = 0): string {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const at = new Date(0);
  at.setHours(0, 0, 0, 0);
  at.setFullYear(year, month - 1, date + later);
  return at.toISOString();
}

/** As the end of a query: `&study=…&site=…`, without empty fields. */
export function queryOf(filter: AuditFilter): string {
  const { from, until } = filter;
  const asked = {
    ...filter,
    from: from === "" ? "" : midnight(from),
    until: until === "" ? "" : midnight(until, 1),
  };
  const parts = Object.entries(asked).filter(([, value]) => value !== "");
  return parts.map(([key, value]) => `&${key}=${encodeURIComponent(value)}`).join("");
}

/** What an event is, in the reader's words. */
export function kindText(kind: string, words: Pick<AuditWords, "kinds">): string {
  return kind in words.kinds ? t(words.kinds[kind]!) : served(kind);
}

/** A detail with shortened hashes; the title shows them in full. */
export function shortDetail(detail: string): string {
  return detail.replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, "$1…");
}

/** The kinds of events in a service's audit log, and their texts. */
export interface AuditWords {
  readonly lead: string;
  /** The actor of events without an account. */
  readonly itself: string;
  /** Whether events name sites. */
  readonly hasSites: boolean;
  /** The text of each kind of event. */
  readonly kinds: Readonly<Record<string, PlainMessage>>;
}

/** Account events, in every audit log. */
export const accountKinds: Readonly<Record<string, PlainMessage>> = {
  "signed in": "signed in",
  "signed in by identity provider": "signed in through the organisation",
  "sign-in failed": "failed to sign in",
  "account added": "added an account",
  "account made by one-time link": "created an account by a one-time link",
  "account made by identity provider": "got an account by the organisation's sign-in",
  "password set by one-time link": "set a password by a one-time link",
  "password changed": "changed the password",
  "account removed": "removed an account",
  "role changed": "changed a role",
  "one-time link made": "created a one-time link",
  "token added": "created a token",
  "token revoked": "revoked a token",
  "sent a test notification": "sent a test notification",
};
