import type { ErrorCode } from "../errors.js";
import type { Disclosure, PrivacyClaim } from "../study/plan.js";

/**
 * What the aggregator's operator API shows, as JSON. The command line and the console read the same.
 *
 *   GET  /api/federation                     FederationView
 *   GET  /api/sites                          SiteView[]
 *   POST /api/invitations {site}             InvitationView
 *   POST /api/revocations {list}             the signed list of expelled sites, base64
 *   POST /api/studies/plan  <yaml>           PlanView            nothing runs
 *   POST /api/studies       <yaml>           StudyView           201, starts
 *   GET  /api/studies                        StudySummary[]
 *   GET  /api/studies/:id                    StudyView
 *   GET  /api/studies/:id/events             server-sent events, each `data:` a StudyView; ends when the study does
 *   POST /api/studies/:id/cancel             StudyView
 *   POST /api/studies/:id/resume             StudyView
 *   GET  /healthz  /readyz  /metrics         without a token
 *
 * Every other route needs `Authorization: Bearer <token>`. A failure is {code, message, remedy} with a 4xx or 5xx.
 */
export interface ErrorView {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy: string;
}

export interface FederationView {
  readonly federation: string;
  readonly rootFingerprint: string;
  readonly software: string;
  readonly grpcAddress: string;
  readonly publisher: string | null;
}

/** `slow`: connected, but its last heartbeat is overdue. `gone`: was connected. `invited`: never enrolled yet. */
export type SitePresence = "online" | "slow" | "gone" | "invited" | "expelled";

export interface SiteView {
  readonly id: string;
  readonly presence: SitePresence;
  readonly lastSeenAt: string | null;
  readonly software: string | null;
  readonly clockSkewMs: number | null;
  readonly certificateExpiresAt: string | null;
  readonly signingKeyFingerprint: string | null;
  readonly tables: readonly string[];
}

export interface InvitationView {
  readonly site: string;
  readonly token: string;
  readonly expiresAt: string;
}

export type StudyStatus = "inviting" | "running" | "publishing" | "released" | "failed" | "cancelled";

export interface StudySummary {
  readonly id: string;
  readonly name: string;
  readonly analysis: string;
  readonly method: string;
  readonly variant: string;
  readonly status: StudyStatus;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly sites: number;
  readonly releaseUrl: string | null;
}

/** What one site is doing in the open step. */
export type SiteStepState =
  | "invited"
  /** Its policy allows the study, and a person there has yet to decide. */
  | "awaiting approval"
  | "accepted"
  | "refused"
  | "working"
  | "uploading"
  | "done"
  | "failed"
  /** The step went on without the site. */
  | "dropped"
  | "left out";

export interface StudySiteView {
  readonly site: string;
  readonly presence: SitePresence;
  readonly state: SiteStepState;
  /** 0 to 1 within the open step. */
  readonly fraction: number;
  readonly receivedBytes: number;
  readonly expectedBytes: number;
  /** Why the site refused or failed: a code, never a detail of its data. */
  readonly code: ErrorCode | null;
}

export interface StepView {
  readonly id: string;
  /** `keys` to `unmask` are the phases of a secure sum; `sum` is that of the masked vectors. */
  readonly kind:
    | "join"
    | "exchange"
    | "keys"
    | "shares"
    | "sum"
    | "survivors"
    | "unmask"
    | "rows"
    | "tags"
    | "countersign"
    | "compute"
    | "deposit";
  /** The stage of the plan that the step belongs to; null where it is no part of one. */
  readonly stage: string | null;
  /** From 1; the newest. */
  readonly attempt: number;
  /** Sites that this attempt went on without, from this step on. */
  readonly dropped: readonly string[];
  readonly status: "waiting" | "open" | "done";
  readonly seconds: number | null;
}

export interface StudyView extends StudySummary {
  readonly hash: string;
  /** The study, canonical JSON. */
  readonly study: unknown;
  readonly steps: readonly StepView[];
  /** The open step's deadline, ISO 8601; null when nothing is waited for. */
  readonly deadlineAt: string | null;
  /** What happens at the deadline, in words. */
  readonly atDeadline: string | null;
  readonly siteStates: readonly StudySiteView[];
  readonly claim: PrivacyClaim;
  readonly seconds: number;
  readonly rows: number | null;
  readonly failure: ErrorView | null;
  readonly release: { readonly id: string; readonly url: string } | null;
}

export interface PlanView {
  readonly name: string;
  readonly hash: string;
  readonly claim: PrivacyClaim;
  readonly warnings: readonly string[];
  readonly uploadBytesPerSite: number;
  /** For some numbers of sites on the roster, how many of them must stay to the end of every sum. */
  readonly thresholds: readonly { readonly sites: number; readonly threshold: number }[];
  readonly stages: readonly {
    readonly id: string;
    readonly kind: string;
    readonly length: number | null;
    readonly uploadBytes: number;
    readonly disclosure: Disclosure;
  }[];
}
