// Made by scripts/openapi.ts from the document beside it.

export interface paths {
    readonly "/api/egress": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What left this hospital */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["Egress"][];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/egress/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What left this hospital, as CSV */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What is different, as server-sent events */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/event-stream": components["schemas"]["SiteEvent"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/ledger": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The ledger */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Ledger"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/ledger/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The signed entries, one per line */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/ledger/reconcile": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Charges what an old copy of the ledger has lost */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Reconciled"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/ledger/series": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Each population's spending over time */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["LedgerSeries"][];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/ledger/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the ledger holds: its chain, its signatures, and what was kept of it elsewhere */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly anchor?: string | readonly string[];
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LedgerReport"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/policy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The hospital's policy */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Policy"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        /** Saves the policy; the version before it is kept */
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly text: string;
                        readonly version: string | null;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Policy"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/policy/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Tries a policy out: its faults, and what waiting studies would meet; nothing is saved */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly text: string;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PolicyCheck"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/policy/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Policies that were replaced */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["PolicyVersion"][];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/policy/history/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A policy that was replaced */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PolicyVersionText"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/profile": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** The table as a study file would see it; it stays at the hospital */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly study: string;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Profile"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How the site stands */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SiteStatus"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/studies": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Studies that were offered */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["OfferedStudy"][];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/studies/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A study in plain words */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ExplainedStudy"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/studies/{id}/approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** This hospital takes part */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Decided"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/studies/{id}/profile": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** The table as an offered study would see it; it stays at the hospital */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Profile"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/studies/{id}/refuse": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** This hospital does not take part; the reason stays here */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason: string | null;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Decided"];
                    };
                };
                /** @description A failure */
                readonly default: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Decided: {
            readonly study: components["schemas"]["ExplainedStudy"];
            readonly connected: boolean;
        };
        readonly Egress: {
            /** Format: date-time */
            readonly at: string;
            readonly study: string;
            readonly step: string;
            readonly what: string;
            readonly whom: string;
            readonly bytes: number;
            readonly sha256: string;
            readonly charge: {
                readonly entry: number;
                readonly population: string;
                readonly epsilon: number | null;
                readonly delta: number;
                readonly claimedEpsilon: number | null;
            } | null;
        };
        readonly EpsilonCost: {
            readonly epsilon: number | null;
            readonly delta: number;
            readonly claimedEpsilon: number | null;
        };
        /**
         * @description Stable: docs/ERRORS.md lists them.
         * @enum {string}
         */
        readonly ErrorCode: "USAGE" | "INTERRUPTED" | "CONFIG_INVALID" | "STATE_MISSING" | "STATE_LOCKED" | "STORE_LOST" | "PORT_IN_USE" | "UNREACHABLE" | "PROXY_FAILED" | "TLS_INTERCEPTED" | "STUDY_INVALID" | "STUDY_UNKNOWN" | "STUDY_STATE" | "TABLE_UNKNOWN" | "TABLE_UNREADABLE" | "TABLE_CHANGED" | "TABLE_EMPTY" | "COLUMN_MISSING" | "COLUMN_AMBIGUOUS" | "COLUMN_TYPE" | "VALUE_NOT_FINITE" | "VALUE_MISSING" | "LEVEL_UNDECLARED" | "ROWS_TOO_FEW" | "ROWS_TOO_MANY" | "COLUMN_CONSTANT" | "POLICY_INVALID" | "POLICY_CHANGED" | "POLICY_UNWRITABLE" | "POLICY_ANALYSIS" | "POLICY_NO_PRIVACY" | "POLICY_VARIANT" | "POLICY_COLUMN" | "POLICY_EPSILON" | "POLICY_DELTA" | "POLICY_SITES" | "POLICY_COLLUDING" | "POLICY_ROWS" | "REFUSED_BY_SITE" | "APPROVAL_LATE" | "PREFLIGHT_FAILED" | "BUDGET_EXHAUSTED" | "LEDGER_BROKEN" | "LEDGER_BEHIND" | "LEDGER_HEAD_INVALID" | "TOKEN_INVALID" | "TOKEN_EXPIRED" | "TOKEN_USED" | "AUTHORITY_MISMATCH" | "CERTIFICATE_MISSING" | "CERTIFICATE_INVALID" | "SITE_EXPELLED" | "REVOCATIONS_INVALID" | "REVOCATIONS_STALE" | "NOT_PERMITTED" | "ADDRESS_UNKNOWN" | "UNAUTHENTICATED" | "PROTOCOL_VERSION" | "FIELD_INVALID" | "MESSAGE_TOO_LARGE" | "RATE_LIMITED" | "MESSAGE_UNEXPECTED" | "UPLOAD_ORDER" | "UPLOAD_TRUNCATED" | "UPLOAD_HASH" | "UPLOAD_CHANGED" | "UPLOAD_LENGTH" | "STUDY_HASH" | "PLAN_DIFFERS" | "ROSTER_INVALID" | "ROSTER_UNPINNED" | "ROSTER_TOO_SMALL" | "BROADCAST_CHANGED" | "BROADCAST_INVALID" | "SEAL_BROKEN" | "COMMITMENT_BROKEN" | "KEYS_INVALID" | "SHARES_INVALID" | "SUM_THRESHOLD" | "TRANSCRIPT_DIFFERS" | "SURVIVORS_INVALID" | "SURVIVORS_CHANGED" | "SUM_REPLAYED" | "UNMASK_FAILED" | "PHASE_DEADLINE" | "SUM_IMPLAUSIBLE" | "STUDY_CANCELLED" | "SITE_FAILED" | "RELEASE_UNKNOWN" | "RELEASE_CORRUPT" | "CERTIFICATE_EPSILON" | "COUNTERSIGNATURE_INVALID" | "STATEMENT_INVALID" | "DEPOSIT_INVALID" | "PUBLISHER_UNREACHABLE" | "INTERNAL";
        readonly ExplainedStudy: {
            readonly id: string;
            readonly name: string;
            /** @enum {string} */
            readonly status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
            readonly words: string;
            readonly table: string;
            readonly analysis: string;
            readonly method: string;
            readonly variant: string;
            /** Format: date-time */
            readonly firstSeenAt: string;
            readonly endedAt: string | null;
            readonly approveUntil: string | null;
            readonly decidedAt: string | null;
            readonly code: string | null;
            readonly reason: string | null;
            readonly hash: string;
            readonly study: unknown;
            readonly verdict: {
                readonly allowed: boolean;
                readonly code: string | null;
                readonly message: string | null;
            };
            readonly decision: components["schemas"]["PolicyDecision"];
            readonly claim: components["schemas"]["PrivacyClaim"];
            readonly leaving: readonly components["schemas"]["Leaving"][];
            readonly leavingBytes: number;
            readonly budget: components["schemas"]["StudyBudget"] | null;
            readonly explanation: readonly components["schemas"]["Section"][];
        };
        readonly Failure: {
            readonly code: components["schemas"]["ErrorCode"];
            /** @description what, where and the numbers */
            readonly message: string;
            /** @description what to do about it */
            readonly remedy: string;
        };
        readonly Leaving: {
            readonly numbers: string;
            readonly name: string;
            readonly what: string;
            /** @enum {string} */
            readonly form: "masked sum" | "rows in the clear" | "tag counts";
            readonly formWords: string;
            readonly noise: string;
            readonly learns: string;
            readonly bytes: number;
            readonly stages: number;
        };
        readonly Ledger: {
            readonly federation: string;
            readonly site: string;
            readonly head: {
                readonly sequence: number;
                readonly hash: string;
            };
            readonly behind: components["schemas"]["LedgerBehind"] | null;
            readonly populations: readonly components["schemas"]["Population"][];
            readonly entries: readonly components["schemas"]["LedgerEntry"][];
        };
        readonly LedgerBehind: {
            readonly sequence: number;
            readonly lost: readonly {
                readonly population: string;
                readonly epsilon: number | null;
                readonly delta: number;
                readonly claimedEpsilon: number | null;
                readonly unbounded: number;
            }[];
        };
        readonly LedgerEntry: {
            readonly sequence: number;
            /** Format: date-time */
            readonly at: string;
            /** @enum {string} */
            readonly kind: "open" | "reserve" | "commit" | "release" | "reconcile";
            readonly populations: readonly string[];
            readonly study: string | null;
            readonly stages: readonly string[];
            readonly cost: components["schemas"]["EpsilonCost"] | null;
            readonly hash: string;
        };
        readonly LedgerReport: {
            readonly federation: string;
            readonly site: string;
            readonly entries: number;
            readonly head: {
                readonly sequence: number;
                readonly hash: string;
            };
            readonly keys: readonly string[];
            readonly populations: {
                readonly [key: string]: {
                    readonly rho: number;
                    readonly unbounded: number;
                };
            };
            readonly anchors: readonly {
                readonly from: string;
                readonly sequence: number;
                readonly hash: string;
                /** @enum {string} */
                readonly state: "held" | "reconciled" | "missing";
            }[];
        };
        readonly LedgerSeries: {
            readonly population: string;
            readonly delta: number;
            readonly limit: number | null;
            readonly points: readonly {
                /** Format: date-time */
                readonly at: string;
                readonly entry: number;
                readonly spent: number;
                readonly held: number;
                readonly unproved: number;
            }[];
        };
        readonly LevelProfile: {
            readonly name: string;
            readonly missing: number;
            readonly rejectedRows: number;
            readonly constant: boolean;
            /** @constant */
            readonly type: "categorical";
            readonly levels: readonly {
                readonly level: string;
                readonly rows: number;
            }[];
        };
        readonly NumericProfile: {
            readonly name: string;
            readonly missing: number;
            readonly rejectedRows: number;
            readonly constant: boolean;
            /** @constant */
            readonly type: "numeric";
            readonly unit: string | null;
            readonly declared: {
                readonly min: number;
                readonly max: number;
            };
            readonly below: number;
            readonly above: number;
            readonly min: number | null;
            readonly mean: number | null;
            readonly max: number | null;
            readonly stdDev: number | null;
        };
        readonly OfferedStudy: {
            readonly id: string;
            readonly name: string;
            /** @enum {string} */
            readonly status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
            readonly words: string;
            readonly table: string;
            readonly analysis: string;
            readonly method: string;
            readonly variant: string;
            /** Format: date-time */
            readonly firstSeenAt: string;
            readonly endedAt: string | null;
            readonly approveUntil: string | null;
            readonly decidedAt: string | null;
            readonly code: string | null;
            readonly reason: string | null;
        };
        readonly Policy: {
            readonly status: components["schemas"]["PolicyStatus"];
            readonly text: string | null;
            readonly version: string | null;
            readonly faults: readonly components["schemas"]["PolicyFault"][];
            readonly suggestion: string;
            readonly tables: readonly string[];
            readonly allowNoPrivacy: boolean;
        };
        readonly PolicyCheck: {
            readonly faults: readonly components["schemas"]["PolicyFault"][];
            readonly waiting: readonly components["schemas"]["PolicyDryRun"][];
            readonly warnings: readonly string[];
        };
        readonly PolicyDecision: {
            /** @enum {string} */
            readonly outcome: "refused" | "person" | "automatic";
            readonly rule: string;
            readonly words: string;
            readonly code: string | null;
        };
        readonly PolicyDryRun: {
            readonly id: string;
            readonly name: string;
            readonly claim: components["schemas"]["PrivacyClaim"];
            readonly present: components["schemas"]["PolicyDecision"] | null;
            readonly edited: components["schemas"]["PolicyDecision"];
        };
        readonly PolicyFault: {
            readonly line: number | null;
            readonly message: string;
        };
        readonly PolicyStatus: {
            readonly path: string;
            /** @enum {string} */
            readonly state: "read" | "absent" | "invalid";
            readonly sha256: string | null;
            readonly fault: string | null;
        };
        readonly PolicyVersion: {
            readonly id: string;
            /** Format: date-time */
            readonly replacedAt: string;
            readonly replacedBy: string;
            readonly sha256: string;
        };
        readonly PolicyVersionText: {
            readonly id: string;
            /** Format: date-time */
            readonly replacedAt: string;
            readonly replacedBy: string;
            readonly sha256: string;
            readonly text: string;
        };
        readonly Population: {
            readonly name: string;
            readonly tables: readonly string[];
            readonly delta: number;
            readonly limit: number | null;
            readonly spent: number;
            readonly reserved: number;
            readonly remaining: number | null;
            readonly unbounded: number;
        };
        readonly PrivacyClaim: {
            /** @enum {string} */
            readonly verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
            readonly epsilon: number | null;
            readonly delta: number | null;
            readonly neighbouringRelation: string;
            readonly unit: string;
            readonly proof: string | null;
            readonly reasons: readonly string[];
        };
        readonly Profile: {
            readonly report: components["schemas"]["ProfileReport"];
            readonly text: string;
        };
        readonly ProfileReport: {
            readonly table: string;
            readonly study: string;
            readonly files: number;
            readonly rows: number;
            readonly used: number;
            readonly rejected: number;
            readonly maxRowsPerSite: number;
            readonly patients: {
                readonly column: string;
                readonly maxRows: number;
                readonly patients: number;
                readonly overBound: number;
                readonly withoutPatient: number;
            } | null;
            readonly columns: readonly (components["schemas"]["NumericProfile"] | components["schemas"]["LevelProfile"])[];
            readonly label: components["schemas"]["LevelProfile"] | null;
            readonly problems: readonly {
                readonly code: string;
                readonly column: string;
                readonly count: number;
                readonly row: number;
                readonly file: string | null;
            }[];
        };
        readonly Reconciled: {
            readonly entries: readonly number[];
            readonly abandoned: readonly string[];
            readonly ledger: components["schemas"]["Ledger"];
        };
        readonly Section: {
            readonly title: string;
            readonly paragraphs: readonly string[];
        };
        readonly SiteEvent: {
            readonly connected: boolean;
            readonly waiting: number;
            readonly studies: string;
            readonly ledger: string;
            readonly egress: string;
            readonly policy: string;
        };
        readonly SiteStatus: {
            readonly site: string;
            readonly federation: string;
            readonly software: string;
            /** Format: date-time */
            readonly startedAt: string;
            readonly aggregator: string;
            readonly connected: boolean;
            readonly connectedSince: string | null;
            readonly lastFault: {
                readonly code: string;
                readonly message: string;
                readonly remedy: string;
            } | null;
            readonly aggregatorSoftware: string | null;
            /** Format: date-time */
            readonly certificateExpiresAt: string;
            /** Format: date-time */
            readonly certificateRenewsAt: string;
            readonly signingKeyFingerprint: string;
            readonly tables: readonly string[];
            readonly policy: components["schemas"]["PolicyStatus"];
            readonly ledger: {
                readonly entries: number;
                readonly behind: boolean;
            };
            readonly disk: {
                readonly freeBytes: number;
                readonly totalBytes: number;
            } | null;
            readonly studies: readonly {
                readonly id: string;
                readonly name: string;
                /** @enum {string} */
                readonly status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
                /** Format: date-time */
                readonly firstSeenAt: string;
                readonly endedAt: string | null;
                readonly code: string | null;
                readonly reason: string | null;
            }[];
        };
        readonly StudyBudget: {
            readonly population: string;
            readonly tables: readonly string[];
            readonly delta: number;
            readonly limit: number | null;
            readonly before: number;
            readonly after: number;
            readonly remainingBefore: number | null;
            readonly remainingAfter: number | null;
            readonly fits: boolean;
            readonly unprovedBefore: number;
            readonly unprovedHere: number;
            readonly charged: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
