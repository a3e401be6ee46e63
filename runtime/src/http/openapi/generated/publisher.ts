// Made by scripts/openapi.ts from the document beside it.

export interface paths {
    readonly "/api/releases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Releases, newest first
         * @description Those that need a token are listed only to who presents it.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description words that must all occur in what describes the release */
                    readonly q?: string;
                    readonly offset?: number;
                    readonly limit?: number;
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
                        readonly "application/json": {
                            readonly total: number;
                            readonly offset: number;
                            readonly limit: number;
                            readonly releases: readonly {
                                readonly id: string;
                                readonly title: string;
                                readonly description: string;
                                readonly license: string | null;
                                readonly creator: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @enum {string} */
                                readonly access: "open" | "token";
                                readonly study: {
                                    readonly id: string;
                                    readonly name: string;
                                    readonly hash: string;
                                    readonly analysis: string;
                                    readonly method: string;
                                    readonly variant: string;
                                };
                                readonly privacyStatement: string;
                                readonly rows: number;
                                readonly columns: number;
                                readonly verdict: string;
                                /** Format: uri */
                                readonly url: string;
                            }[];
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
    readonly "/api/releases/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A release: its content, its certificate in short, its files */
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
                        readonly "application/json": {
                            readonly content: {
                                /** @constant */
                                readonly format: "consilium-release/1";
                                readonly id: string;
                                readonly title: string;
                                readonly description: string;
                                readonly license: string | null;
                                readonly creator: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @enum {string} */
                                readonly access: "open" | "token";
                                readonly study: {
                                    readonly id: string;
                                    readonly name: string;
                                    readonly hash: string;
                                    readonly analysis: string;
                                    readonly method: string;
                                    readonly variant: string;
                                };
                                readonly privacyStatement: string;
                                readonly privacy: {
                                    /** @enum {string} */
                                    readonly verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
                                    readonly epsilon: number | null;
                                    readonly delta: number | null;
                                    readonly neighbouringRelation: string;
                                    readonly unit: string;
                                    readonly proof: string | null;
                                    readonly reasons: readonly string[];
                                    readonly countersigned: {
                                        readonly by: number;
                                        readonly of: number;
                                    };
                                };
                                readonly columns: readonly ({
                                    readonly name: string;
                                    /** @constant */
                                    readonly type: "number";
                                    readonly description: string;
                                    readonly unit?: string;
                                } | {
                                    readonly name: string;
                                    /** @constant */
                                    readonly type: "level";
                                    readonly description: string;
                                    readonly levels: readonly string[];
                                })[];
                                readonly rows: number;
                                readonly notes: readonly string[];
                                readonly card?: {
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
                                };
                            };
                            /** Format: uri */
                            readonly url: string;
                            readonly certificate: {
                                readonly federation: string;
                                readonly issuedAt: string;
                                /** @enum {string} */
                                readonly verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
                                readonly epsilon: number | null;
                                readonly delta: number | null;
                                readonly neighbouringRelation: string;
                                readonly unit: string;
                                readonly proof: string | null;
                                readonly reasons: readonly string[];
                                readonly countersigned: {
                                    readonly by: number;
                                    readonly of: number;
                                };
                                readonly sites: readonly string[];
                                readonly attempts: readonly {
                                    readonly stage: string;
                                    readonly attempt: number;
                                    /** @enum {string} */
                                    readonly kind: "sum" | "rows" | "tags";
                                    readonly survivors: readonly string[] | null;
                                    readonly dropped: readonly string[] | null;
                                }[];
                                readonly missing: readonly string[];
                                readonly software: {
                                    readonly [key: string]: string;
                                };
                            };
                            readonly files: readonly {
                                readonly name: string;
                                /** Format: uri */
                                readonly url: string;
                                readonly bytes: number;
                                readonly sha256: string;
                                readonly contentType: string;
                            }[];
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
    readonly "/releases/{id}/plots/{file}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A file of a release
         * @description Ranges, one or several, entity tags and If-Range as in RFC 9110. Files never change: the strong ETag is the SHA-256 that the certificate lists.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly file: string;
                };
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
    readonly "/releases/{id}/{file}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A file of a release
         * @description Ranges, one or several, entity tags and If-Range as in RFC 9110. Files never change: the strong ETag is the SHA-256 that the certificate lists.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly file: string;
                };
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
