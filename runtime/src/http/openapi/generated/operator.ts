// Made by scripts/openapi.ts from the document beside it.

export interface paths {
    readonly "/api/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The federation and its studies, at every change */
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
                        readonly "text/event-stream": components["schemas"]["Console"];
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
    readonly "/api/federation": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The federation */
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
                        readonly "application/json": components["schemas"]["Federation"];
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
    readonly "/api/invitations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Invitations */
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
                        readonly "application/json": readonly components["schemas"]["InvitationListEntry"][];
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
        /** Invites a site: a token that enrols it once */
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
                        readonly site: string;
                        readonly expiresInMs?: number;
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
                        readonly "application/json": components["schemas"]["Invitation"];
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
    readonly "/api/invitations/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Takes back an unused invitation */
        readonly delete: {
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
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
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
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/revocations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Takes a signed list of expelled sites */
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
                        /** Format: base64 */
                        readonly list: string;
                    };
                };
            };
            readonly responses: {
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
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
    readonly "/api/sites": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The sites, as they stand */
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
                        readonly "application/json": readonly components["schemas"]["Site"][];
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
        /** The studies, newest first */
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
                        readonly "application/json": readonly components["schemas"]["StudySummary"][];
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
        /** Starts a study */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/yaml": unknown;
                    readonly "application/json": unknown;
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Study"];
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
    readonly "/api/studies/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Every fault of a study, or what it does and costs */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/yaml": unknown;
                    readonly "application/json": unknown;
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["StudyCheck"];
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
    readonly "/api/studies/plan": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** What a study would do and cost; nothing runs */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/yaml": unknown;
                    readonly "application/json": unknown;
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Plan"];
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
    readonly "/api/studies/schema": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A study's file as JSON Schema */
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
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
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
        /** A study */
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
                        readonly "application/json": components["schemas"]["Study"];
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
    readonly "/api/studies/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Cancels a study */
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
                        readonly "application/json": components["schemas"]["Study"];
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
    readonly "/api/studies/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A study whenever it changes, until it has ended */
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
                        readonly "text/event-stream": components["schemas"]["Study"];
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
    readonly "/api/studies/{id}/result": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A released study's figures */
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
                        readonly "application/json": components["schemas"]["StudyResult"];
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
    readonly "/api/studies/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Goes on with a study that failed */
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
                        readonly "application/json": components["schemas"]["Study"];
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
        readonly Console: {
            /** Format: date-time */
            readonly now: string;
            readonly software: string;
            readonly sites: readonly components["schemas"]["ConsoleSite"][];
            readonly running: readonly components["schemas"]["RunningStudy"][];
            readonly ended: readonly components["schemas"]["StudySummary"][];
        };
        readonly ConsoleSite: {
            readonly id: string;
            readonly presence: components["schemas"]["SitePresence"];
            readonly lastSeenAt: string | null;
            readonly software: string | null;
            readonly clockSkewMs: number | null;
            readonly certificateExpiresAt: string | null;
            readonly signingKeyFingerprint: string | null;
            readonly tables: readonly string[];
            readonly doing: readonly {
                readonly study: string;
                readonly step: string;
                readonly state: components["schemas"]["SiteStepState"];
            }[];
            readonly turnedAway: {
                readonly code: string;
                readonly message: string;
                /** Format: date-time */
                readonly at: string;
            } | null;
            readonly invitedUntil: string | null;
        };
        readonly Disclosure: {
            readonly what: string;
            /** @enum {string} */
            readonly form: "masked sum" | "rows in the clear" | "tag counts";
            readonly learns: string;
            readonly mechanism: string;
            readonly normBound: number | null;
            readonly sensitivity: number | null;
            readonly cost: {
                readonly epsilon: number;
                readonly delta: number;
            } | null;
            readonly event: components["schemas"]["PrivacyEvent"];
        };
        /**
         * @description Stable: docs/ERRORS.md lists them.
         * @enum {string}
         */
        readonly ErrorCode: "USAGE" | "INTERRUPTED" | "CONFIG_INVALID" | "STATE_MISSING" | "STATE_LOCKED" | "STORE_LOST" | "PORT_IN_USE" | "UNREACHABLE" | "PROXY_FAILED" | "TLS_INTERCEPTED" | "STUDY_INVALID" | "STUDY_UNKNOWN" | "STUDY_STATE" | "TABLE_UNKNOWN" | "TABLE_UNREADABLE" | "TABLE_CHANGED" | "TABLE_EMPTY" | "COLUMN_MISSING" | "COLUMN_AMBIGUOUS" | "COLUMN_TYPE" | "VALUE_NOT_FINITE" | "VALUE_MISSING" | "LEVEL_UNDECLARED" | "ROWS_TOO_FEW" | "ROWS_TOO_MANY" | "COLUMN_CONSTANT" | "POLICY_INVALID" | "POLICY_CHANGED" | "POLICY_UNWRITABLE" | "POLICY_ANALYSIS" | "POLICY_NO_PRIVACY" | "POLICY_VARIANT" | "POLICY_COLUMN" | "POLICY_EPSILON" | "POLICY_DELTA" | "POLICY_SITES" | "POLICY_COLLUDING" | "POLICY_ROWS" | "REFUSED_BY_SITE" | "APPROVAL_LATE" | "PREFLIGHT_FAILED" | "BUDGET_EXHAUSTED" | "LEDGER_BROKEN" | "LEDGER_BEHIND" | "LEDGER_HEAD_INVALID" | "TOKEN_INVALID" | "TOKEN_EXPIRED" | "TOKEN_USED" | "AUTHORITY_MISMATCH" | "CERTIFICATE_MISSING" | "CERTIFICATE_INVALID" | "SITE_EXPELLED" | "REVOCATIONS_INVALID" | "REVOCATIONS_STALE" | "NOT_PERMITTED" | "ADDRESS_UNKNOWN" | "UNAUTHENTICATED" | "PROTOCOL_VERSION" | "FIELD_INVALID" | "MESSAGE_TOO_LARGE" | "RATE_LIMITED" | "MESSAGE_UNEXPECTED" | "UPLOAD_ORDER" | "UPLOAD_TRUNCATED" | "UPLOAD_HASH" | "UPLOAD_CHANGED" | "UPLOAD_LENGTH" | "STUDY_HASH" | "PLAN_DIFFERS" | "ROSTER_INVALID" | "ROSTER_UNPINNED" | "ROSTER_TOO_SMALL" | "BROADCAST_CHANGED" | "BROADCAST_INVALID" | "SEAL_BROKEN" | "COMMITMENT_BROKEN" | "KEYS_INVALID" | "SHARES_INVALID" | "SUM_THRESHOLD" | "TRANSCRIPT_DIFFERS" | "SURVIVORS_INVALID" | "SURVIVORS_CHANGED" | "SUM_REPLAYED" | "UNMASK_FAILED" | "PHASE_DEADLINE" | "SUM_IMPLAUSIBLE" | "STUDY_CANCELLED" | "SITE_FAILED" | "RELEASE_UNKNOWN" | "RELEASE_CORRUPT" | "CERTIFICATE_EPSILON" | "COUNTERSIGNATURE_INVALID" | "STATEMENT_INVALID" | "DEPOSIT_INVALID" | "PUBLISHER_UNREACHABLE" | "INTERNAL";
        readonly Failure: {
            readonly code: components["schemas"]["ErrorCode"];
            /** @description what, where and the numbers */
            readonly message: string;
            /** @description what to do about it */
            readonly remedy: string;
        };
        readonly Federation: {
            readonly federation: string;
            readonly rootFingerprint: string;
            readonly software: string;
            readonly grpcAddress: string;
            readonly publisher: string | null;
        };
        readonly Invitation: {
            readonly site: string;
            readonly token: string;
            /** Format: date-time */
            readonly expiresAt: string;
        };
        readonly InvitationListEntry: {
            readonly id: string;
            readonly site: string;
            /** @enum {string} */
            readonly state: "open" | "used" | "expired";
            /** Format: date-time */
            readonly expiresAt: string;
            readonly usedAt: string | null;
        };
        readonly Plan: {
            readonly name: string;
            readonly hash: string;
            readonly claim: components["schemas"]["PrivacyClaim"];
            readonly warnings: readonly string[];
            readonly uploadBytesPerSite: number;
            readonly thresholds: readonly {
                readonly sites: number;
                readonly threshold: number;
            }[];
            readonly stages: readonly {
                readonly id: string;
                readonly kind: string;
                readonly length: number | null;
                readonly uploadBytes: number;
                readonly disclosure: components["schemas"]["Disclosure"];
            }[];
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
        /** @description A release by one mechanism, or several composed: core/src/privacy/events.ts. */
        readonly PrivacyEvent: {
            readonly kind: string;
        };
        readonly RunningStudy: {
            readonly id: string;
            readonly name: string;
            readonly analysis: string;
            readonly method: string;
            readonly variant: string;
            readonly status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            readonly createdAt: string;
            readonly endedAt: string | null;
            readonly sites: number;
            readonly releaseUrl: string | null;
            readonly minimumSites: number;
            readonly participants: readonly string[];
            readonly online: number;
            readonly step: string | null;
            readonly waitingFor: readonly string[];
            readonly deadlineAt: string | null;
            readonly stepsDone: number;
            readonly steps: number;
        };
        readonly ShownFigure: {
            /** @constant */
            readonly kind: "bars";
            readonly name: string;
            readonly title: string;
            readonly valueLabel: string;
            readonly bars: readonly {
                readonly label: string;
                readonly value: number;
                readonly low: number | null;
                readonly high: number | null;
            }[];
        } | {
            /** @constant */
            readonly kind: "curves";
            readonly name: string;
            readonly title: string;
            readonly xLabel: string;
            readonly yLabel: string;
            readonly series: readonly {
                readonly label: string;
                /** @enum {string} */
                readonly style: "line" | "points" | "line-points" | "reference";
                readonly points: readonly {
                    readonly x: number;
                    readonly y: number;
                    readonly low: number | null;
                    readonly high: number | null;
                }[];
            }[];
        } | {
            /** @constant */
            readonly kind: "tree";
            readonly name: string;
            readonly title: string;
            readonly nodes: readonly ({
                /** @constant */
                readonly kind: "question";
                readonly column: string;
                readonly condition: string;
                readonly cover: number;
                readonly yes: number;
                readonly no: number;
            } | {
                /** @constant */
                readonly kind: "leaf";
                readonly leansTo: string;
                readonly values: readonly number[];
                readonly cover: number;
            })[];
        };
        readonly Site: {
            readonly id: string;
            readonly presence: components["schemas"]["SitePresence"];
            readonly lastSeenAt: string | null;
            readonly software: string | null;
            readonly clockSkewMs: number | null;
            readonly certificateExpiresAt: string | null;
            readonly signingKeyFingerprint: string | null;
            readonly tables: readonly string[];
        };
        /** @enum {string} */
        readonly SitePresence: "online" | "slow" | "gone" | "invited" | "expelled";
        /** @enum {string} */
        readonly SiteStepState: "invited" | "awaiting approval" | "accepted" | "refused" | "working" | "uploading" | "done" | "failed" | "dropped" | "left out";
        readonly Step: {
            readonly id: string;
            readonly kind: components["schemas"]["StepKind"];
            readonly stage: string | null;
            readonly attempt: number;
            readonly dropped: readonly string[];
            /** @enum {string} */
            readonly status: "waiting" | "open" | "done";
            readonly seconds: number | null;
            readonly received: {
                readonly [key: string]: number;
            };
        };
        /** @enum {string} */
        readonly StepKind: "join" | "exchange" | "keys" | "shares" | "sum" | "survivors" | "unmask" | "rows" | "tags" | "countersign" | "compute" | "deposit";
        readonly Study: {
            readonly id: string;
            readonly name: string;
            readonly analysis: string;
            readonly method: string;
            readonly variant: string;
            readonly status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            readonly createdAt: string;
            readonly endedAt: string | null;
            readonly sites: number;
            readonly releaseUrl: string | null;
            readonly hash: string;
            readonly study: unknown;
            readonly steps: readonly components["schemas"]["Step"][];
            readonly deadlineAt: string | null;
            readonly atDeadline: string | null;
            readonly siteStates: readonly components["schemas"]["StudySite"][];
            readonly claim: components["schemas"]["PrivacyClaim"];
            readonly seconds: number;
            readonly rows: number | null;
            readonly failure: components["schemas"]["Failure"] | null;
            readonly release: {
                readonly id: string;
                readonly url: string;
            } | null;
        };
        readonly StudyCheck: {
            readonly issues: readonly {
                readonly path: string;
                readonly message: string;
            }[];
            readonly plan: components["schemas"]["Plan"] | null;
            readonly sites: {
                readonly asked: readonly string[];
                readonly online: number;
            };
            readonly obstacle: string | null;
        };
        readonly StudyResult: {
            readonly columns: readonly {
                readonly name: string;
                readonly description: string;
            }[];
            readonly rows: number;
            readonly figures: readonly components["schemas"]["ShownFigure"][];
            readonly card: {
                readonly predicts: string;
                readonly trainedOn: string;
                readonly evaluation: {
                    readonly method: string;
                    readonly rows: number;
                    readonly majority: number;
                    readonly measures: readonly {
                        readonly name: string;
                        readonly value: number;
                        readonly low: number | null;
                        readonly high: number | null;
                    }[];
                } | null;
                readonly limits: readonly string[];
            } | null;
            readonly notes: readonly string[];
        };
        readonly StudySite: {
            readonly site: string;
            readonly presence: components["schemas"]["SitePresence"];
            readonly state: components["schemas"]["SiteStepState"];
            readonly fraction: number;
            readonly receivedBytes: number;
            readonly expectedBytes: number;
            readonly code: components["schemas"]["ErrorCode"] | null;
        };
        /** @enum {string} */
        readonly StudyStatus: "inviting" | "running" | "publishing" | "released" | "failed" | "cancelled";
        readonly StudySummary: {
            readonly id: string;
            readonly name: string;
            readonly analysis: string;
            readonly method: string;
            readonly variant: string;
            readonly status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            readonly createdAt: string;
            readonly endedAt: string | null;
            readonly sites: number;
            readonly releaseUrl: string | null;
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
