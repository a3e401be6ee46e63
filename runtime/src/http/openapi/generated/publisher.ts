// Made by scripts/openapi.ts from the document beside it.

export interface paths {
    "/api/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Come back from the identity provider */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Found */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oidc/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Go to the identity provider
         * @description For browsers. ADDRESS_UNKNOWN where none is configured.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Found */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Releases, newest first
         * @description Releases that need a token are only listed with it.
         */
        get: {
            parameters: {
                query?: {
                    /** @description words that must all occur in what describes the release */
                    q?: string;
                    /** @description only this analysis, such as `pca` */
                    analysis?: string;
                    /** @description only this method, such as `dp-pca` */
                    method?: string;
                    /** @description only this variant of a method */
                    variant?: string;
                    /** @description only this verdict of the certificate, such as `proved` */
                    verdict?: string;
                    /** @description leaves out releases without an epsilon */
                    epsilonMin?: number;
                    /** @description leaves out releases without an epsilon */
                    epsilonMax?: number;
                    /** @description the first day of publication, UTC */
                    from?: string;
                    /** @description the last day of publication, UTC */
                    to?: string;
                    order?: "newest" | "oldest" | "epsilon" | "title";
                    offset?: number;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReleaseList"];
                    };
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/releases/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A release: its content, its certificate in short, its files */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Release"];
                    };
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/releases/{id}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Some rows of a release
         * @description For display; programs should read data.parquet.
         */
        get: {
            parameters: {
                query?: {
                    offset?: number;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReleaseRows"];
                    };
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/releases/{id}/sample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Two columns of a sample of a release's rows, to plot
         * @description Always the same, evenly spaced rows.
         */
        get: {
            parameters: {
                query: {
                    /** @description a column of numbers */
                    x: string;
                    /** @description another */
                    y: string;
                    /** @description a column of levels */
                    colour?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReleaseSample"];
                    };
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the reader's session */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"] | components["schemas"]["SignedOut"];
                    };
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Exchange a reader token for a browser session
         * @description Programs send the token itself, with every request.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        /** Sign out */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/releases/{id}/plots/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of a release
         * @description Ranges, one or several, entity tags and If-Range as in RFC 9110. Files never change: the strong ETag is the SHA-256 that the certificate lists.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    file: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/releases/{id}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of a release
         * @description Ranges, one or several, entity tags and If-Range as in RFC 9110. Files never change: the strong ETag is the SHA-256 that the certificate lists.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    file: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description A failure */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Failure"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description Stable: docs/ERRORS.md lists them.
         * @enum {string}
         */
        ErrorCode: "USAGE" | "INTERRUPTED" | "CONFIG_INVALID" | "STATE_MISSING" | "STATE_LOCKED" | "STORE_LOST" | "DISK_FULL" | "BACKUP_INVALID" | "PORT_IN_USE" | "UNREACHABLE" | "PROXY_FAILED" | "TLS_INTERCEPTED" | "STUDY_INVALID" | "STUDY_UNKNOWN" | "STUDY_STATE" | "TABLE_UNKNOWN" | "TABLE_UNREADABLE" | "TABLE_CHANGED" | "TABLE_EMPTY" | "ENGINE_UNSUITABLE" | "ENGINE_FAILED" | "ENGINE_VERSION" | "COLUMN_MISSING" | "COLUMN_AMBIGUOUS" | "COLUMN_TYPE" | "VALUE_NOT_FINITE" | "VALUE_MISSING" | "LEVEL_UNDECLARED" | "ROWS_TOO_FEW" | "ROWS_TOO_MANY" | "COLUMN_CONSTANT" | "POLICY_INVALID" | "POLICY_CHANGED" | "POLICY_UNWRITABLE" | "POLICY_ANALYSIS" | "POLICY_NO_PRIVACY" | "POLICY_VARIANT" | "METHODS_MISSING" | "POLICY_COLUMN" | "POLICY_EPSILON" | "POLICY_DELTA" | "POLICY_UNIT" | "POLICY_POPULATION" | "POLICY_SITES" | "POLICY_SCHEDULE" | "POLICY_COLLUDING" | "POLICY_ROWS" | "REFUSED_BY_SITE" | "OFFERS_TOO_MANY" | "APPROVAL_LATE" | "PREFLIGHT_FAILED" | "BUDGET_EXHAUSTED" | "LEDGER_BROKEN" | "LEDGER_BEHIND" | "LEDGER_HEAD_INVALID" | "TOKEN_INVALID" | "TOKEN_EXPIRED" | "TOKEN_USED" | "TOKEN_WITHDRAWN" | "SITE_ENROLLED" | "INVITATION_OPEN" | "IDENTITY_REPLACED" | "AUTHORITY_MISMATCH" | "CERTIFICATE_MISSING" | "CERTIFICATE_INVALID" | "SITE_EXPELLED" | "REVOCATIONS_INVALID" | "REVOCATIONS_STALE" | "REVOCATIONS_UNCONFIRMED" | "REVOCATIONS_EXPIRED" | "NOT_PERMITTED" | "ADDRESS_UNKNOWN" | "UNAUTHENTICATED" | "SIGN_IN_FAILED" | "SIGN_IN_BUSY" | "CROSS_SITE" | "HOST_UNKNOWN" | "LINK_INVALID" | "ACCOUNT_UNKNOWN" | "ACCOUNT_EXISTS" | "ACCOUNT_LAST" | "API_TOKEN_UNKNOWN" | "OIDC_FAILED" | "PROTOCOL_VERSION" | "FIELD_INVALID" | "MESSAGE_TOO_LARGE" | "RATE_LIMITED" | "MESSAGE_UNEXPECTED" | "UPLOAD_ORDER" | "UPLOAD_TRUNCATED" | "UPLOAD_HASH" | "UPLOAD_CHANGED" | "UPLOAD_LENGTH" | "STUDY_HASH" | "PLAN_DIFFERS" | "ROSTER_INVALID" | "ROSTER_UNPINNED" | "ROSTER_TOO_SMALL" | "BROADCAST_CHANGED" | "BROADCAST_INVALID" | "SEAL_BROKEN" | "COMMITMENT_BROKEN" | "KEYS_INVALID" | "SHARES_INVALID" | "SUM_THRESHOLD" | "TRANSCRIPT_DIFFERS" | "SURVIVORS_INVALID" | "SURVIVORS_CHANGED" | "SUM_REPLAYED" | "UNMASK_FAILED" | "PHASE_DEADLINE" | "SUM_IMPLAUSIBLE" | "STUDY_CANCELLED" | "SITE_FAILED" | "RELEASE_UNKNOWN" | "RELEASE_CORRUPT" | "CERTIFICATE_EPSILON" | "COUNTERSIGNATURE_INVALID" | "STATEMENT_INVALID" | "DEPOSIT_INVALID" | "PUBLISHER_UNREACHABLE" | "METHOD_REFUSED" | "INTERNAL";
        Failure: {
            code: components["schemas"]["ErrorCode"];
            /** @description what, where and the numbers */
            message: string;
            /** @description what to do about it */
            remedy: string;
        };
        Release: {
            /** @description What the release is, but for its model, which is a file of its own. */
            content: {
                /** @constant */
                format: "consilium-release/1";
                id: string;
                title: string;
                description: string;
                license: string | null;
                creator: string | null;
                /** Format: date-time */
                createdAt: string;
                /** @enum {string} */
                access: "open" | "token";
                study: {
                    id: string;
                    name: string;
                    hash: string;
                    analysis: string;
                    method: string;
                    variant: string;
                };
                caution?: string;
                privacyStatement: string;
                privacy: {
                    /** @enum {string} */
                    verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
                    epsilon: number | null;
                    delta: number | null;
                    neighbouringRelation: string;
                    unit: string;
                    proof: string | null;
                    reasons: string[];
                    countersigned: {
                        by: number;
                        of: number;
                    };
                };
                columns: ({
                    name: string;
                    /** @constant */
                    type: "number";
                    description: string;
                    unit?: string;
                } | {
                    name: string;
                    /** @constant */
                    type: "level";
                    description: string;
                    levels: string[];
                })[];
                rows: number;
                notes: string[];
                card?: {
                    predicts: string;
                    trainedOn: string;
                    evaluation: {
                        method: string;
                        rows: number;
                        majority: number;
                        measures: {
                            name: string;
                            value: number;
                            low: number | null;
                            high: number | null;
                        }[];
                    } | null;
                    limits: string[];
                };
            };
            /** Format: uri */
            url: string;
            /** @description The certificate in short. The files certificate.json and certificate.jws hold the whole of it. */
            certificate: {
                federation: string;
                issuedAt: string;
                /** @enum {string} */
                verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
                epsilon: number | null;
                delta: number | null;
                neighbouringRelation: string;
                unit: string;
                proof: string | null;
                reasons: string[];
                countersigned: {
                    by: number;
                    of: number;
                };
                sites: string[];
                /** @description Who was in every attempt at every stage, and who had dropped; null for one that was given up. */
                attempts: {
                    stage: string;
                    attempt: number;
                    /** @enum {string} */
                    kind: "sum" | "rows" | "tags";
                    survivors: string[] | null;
                    dropped: string[] | null;
                }[];
                /** @description Sites that did not countersign. */
                missing: string[];
                software: {
                    [key: string]: string;
                };
            };
            files: {
                name: string;
                description: string;
                /** Format: uri */
                url: string;
                bytes: number;
                sha256: string;
                contentType: string;
            }[];
            /** @description Code that reads the release, ready to paste. */
            snippets: {
                /** @enum {string} */
                id: "pandas" | "polars" | "r" | "duckdb" | "onnxruntime" | "xgboost";
                title: string;
                /** @description As a fenced code block calls it. */
                language: string;
                code: string;
                /** @description How to get what the code needs. */
                needs: string;
            }[];
            /** @description How to cite the release, ready to paste. */
            citations: {
                format: string;
                file: string;
                text: string;
            }[];
        };
        /** @description What there is to filter by: each value with how many releases have it, among those that the other filters leave. */
        ReleaseFacets: {
            method: {
                value: string;
                count: number;
            }[];
            variant: {
                value: string;
                count: number;
            }[];
            verdict: {
                value: string;
                count: number;
            }[];
        };
        ReleaseList: {
            /** @description How many releases there are for this query. */
            total: number;
            offset: number;
            limit: number;
            releases: components["schemas"]["ReleaseSummary"][];
            facets: components["schemas"]["ReleaseFacets"];
        };
        ReleaseRows: {
            /** @description Rows of the release. */
            total: number;
            offset: number;
            /** @description The first of the release's columns. */
            columns: string[];
            /** @description Columns of the release that are not shown. */
            columnsLeftOut: number;
            /** @description A number, or a level's text, for each column. */
            rows: (number | string)[][];
        };
        /** @description Rows at even distances, so that the same is drawn each time. */
        ReleaseSample: {
            total: number;
            /** @description The levels of the colour column; empty without one. */
            levels: string[];
            x: number[];
            y: number[];
            /** @description Indices into `levels`; empty without a colour column. */
            level: number[];
        };
        ReleaseSummary: {
            id: string;
            title: string;
            description: string;
            license: string | null;
            creator: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @enum {string} */
            access: "open" | "token";
            study: {
                id: string;
                name: string;
                hash: string;
                analysis: string;
                method: string;
                variant: string;
            };
            privacyStatement: string;
            caution?: string;
            rows: number;
            /** @description How many columns the rows have. */
            columns: number;
            /** @description The certificate's, on the study's privacy. */
            verdict: string;
            /** @description For a proved verdict what its events add up to, else the authors' claim; null: no bound. */
            epsilon: number | null;
            delta: number | null;
            /**
             * Format: uri
             * @description Of the release, ending in a slash.
             */
            url: string;
        };
        Session: {
            account: {
                name: string;
                /** @enum {string} */
                role: "operator" | "viewer" | "administrator" | "approver" | "analyst";
            };
            /** @description To be sent as `x-consilium-csrf` with every request that changes something. Bound to the session. */
            csrf: string;
            methods: components["schemas"]["SignInMethods"];
            /**
             * Format: date-time
             * @description When the session ends even if it is used.
             */
            endsAt: string;
            /** @description Whether the password is kept here, so that it can be changed here. */
            hasPassword: boolean;
        };
        /** @description How one can sign in here. */
        SignInMethods: {
            /** @description A name and a password. */
            password: boolean;
            /** @description A reader's token, at the publisher. */
            token: boolean;
            /** @description An identity provider, by `GET /api/oidc/login`. */
            oidc: {
                label: string;
            } | null;
        };
        /** @description What `GET /api/session` answers to anyone who is not signed in: no failure, so that no browser complains of one. */
        SignedOut: {
            /** @description Nobody is signed in. */
            account: null;
            /** @description Whether there is no account yet: the one-time link of the first run makes it. */
            setup: boolean;
            methods: components["schemas"]["SignInMethods"];
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
