/** What the trail is narrowed to; empty for anything. It stands in the page's address, so that it can be passed on. */
export interface AuditFilter {
  readonly study: string;
  readonly site: string;
  readonly actor: string;
  readonly kind: string;
}

export function filterOf(params: URLSearchParams): AuditFilter {
  const part = (key: keyof AuditFilter) => params.get(key) ?? "";
  return { study: part("study"), site: part("site"), actor: part("actor"), kind: part("kind") };
}

/** As the end of a query: `&study=…&site=…`, what is empty left out. */
export function queryOf(filter: AuditFilter): string {
  const parts = Object.entries(filter).filter(([, value]) => value !== "");
  return parts.map(([key, value]) => `&${key}=${encodeURIComponent(value)}`).join("");
}

/** What the aggregator writes down, in words. */
export const kindWords: Readonly<Record<string, string>> = {
  "signed in": "signed in",
  "sign-in failed": "failed to sign in",
  invited: "invited a site",
  "took back an invitation": "took back an invitation",
  "changed the list of expelled sites": "changed the list of expelled sites",
  "started the study": "started the study",
  "resumed the study": "resumed the study",
  "cancelled the study": "cancelled the study",
  joined: "joined",
  refused: "refused",
  opened: "a step began",
  posted: "took part in a step",
  received: "vector or rows came whole",
  dropped: "went on without the site",
  faulty: "sent what is not right",
  failed: "could not do its part",
  countersigned: "countersigned",
  ended: "the study ended",
  "account added": "added an account",
  "account removed": "removed an account",
  "role changed": "changed a role",
  "one-time link made": "made a one-time link",
  "token added": "made a token",
  "token revoked": "revoked a token",
};
