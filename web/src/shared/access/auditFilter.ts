/** What the trail is narrowed to; empty for anything. It stands in the page's address, so that it can be passed on. */
export interface AuditFilter {
  readonly study: string;
  readonly site: string;
  readonly actor: string;
  readonly kind: string;
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
    people: part("people"),
  };
}

/** As the end of a query: `&study=…&site=…`, what is empty left out. */
export function queryOf(filter: AuditFilter): string {
  const parts = Object.entries(filter).filter(([, value]) => value !== "");
  return parts.map(([key, value]) => `&${key}=${encodeURIComponent(value)}`).join("");
}

/** A detail with its hashes cut short: the whole is in the title. */
export function shortDetail(detail: string): string {
  return detail.replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, "$1…");
}

/** What a service's trail holds, and how its page says it. */
export interface AuditWords {
  readonly lead: string;
  /** Who did what nobody has an account for. */
  readonly itself: string;
  /** Whether events are of sites. */
  readonly hasSites: boolean;
  /** What is written down, in words. */
  readonly kinds: Readonly<Record<string, string>>;
}

/** Of accounts, in every trail. */
export const accountKinds: Readonly<Record<string, string>> = {
  "signed in": "signed in",
  "sign-in failed": "failed to sign in",
  "account added": "added an account",
  "account removed": "removed an account",
  "role changed": "changed a role",
  "one-time link made": "made a one-time link",
  "token added": "made a token",
  "token revoked": "revoked a token",
};
