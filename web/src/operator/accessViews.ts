export interface AccountView {
  name: string;
  role: string;
  createdAt: string;
  lastSignInAt: string | null;
  method: "password" | "oidc" | "link";
}
export interface ApiTokenView {
  id: string;
  role: string;
  label: string;
  createdBy: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}
export interface MadeTokenView extends ApiTokenView {
  token: string;
}
export interface OneTimeLinkView {
  name: string | null;
  role: string;
  expiresAt: string;
  url: string;
}
export interface AuditEventView {
  id: number;
  at: string;
  actor: string | null;
  kind: string;
  study: string | null;
  site: string | null;
  detail: string;
}
export interface AuditView {
  events: AuditEventView[];
  next: number | null;
}
