// Made by scripts/openapi.ts from the document beside it.

export interface paths {
    "/api/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Accounts */
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
                        "application/json": components["schemas"]["Account"][];
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
        /** Add an account; its user sets the password with the one-time link */
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
                        name: string;
                        /** @enum {string} */
                        role: "operator" | "viewer" | "administrator" | "approver";
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OneTimeLink"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove an account and end its sessions */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
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
    "/api/accounts/{name}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a one-time link to set an account's password */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
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
                        "application/json": components["schemas"]["OneTimeLink"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{name}/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change an account's role */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        role: "operator" | "viewer" | "administrator" | "approver";
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
                        "application/json": components["schemas"]["Account"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists audit events, newest first
         * @description Paged: `next` of one response is `before` of the next request.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The `id` of the last event of the page before. */
                    before?: number;
                    /** @description Events on a page. */
                    limit?: number;
                    /** @description Only what is of this study. */
                    study?: string;
                    /** @description Only what is of this site. */
                    site?: string;
                    /** @description Only what this account or token did. */
                    actor?: string;
                    /** @description Only what is of this kind, as an event's `kind` says it. */
                    kind?: string;
                    /** @description Only what people and programs did: nothing of sites, and nothing that the process did by itself. */
                    people?: string;
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
                        "application/json": components["schemas"]["Audit"];
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
    "/api/data-protection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Purposes, data flows, guarantees, retention and measures of this site */
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
                        "application/json": components["schemas"]["DataProtectionAnswer"];
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
    "/api/data-protection/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same as a Markdown document */
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
                        "text/markdown": string;
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
    "/api/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs the doctor
         * @description Checks configuration, certificate, disk, policy and tables, and reports the outcome of the last attempt to reach the aggregator. It changes nothing and sends nothing; `consilium doctor` on the agent's machine checks each step of the path.
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
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** Format: date-time */
                            checkedAt: string;
                            software: string;
                            /** @enum {string} */
                            subject: "site" | "invitation" | "operator";
                            name: string | null;
                            aggregator: string | null;
                            checks: {
                                id: string;
                                title: string;
                                /** @enum {string} */
                                status: "ok" | "warn" | "fail" | "skipped";
                                found: string;
                                remedy: string | null;
                                forIt: string | null;
                            }[];
                        };
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
    "/api/egress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The egress log */
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
                        "application/json": components["schemas"]["Egress"][];
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
    "/api/egress/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The egress log as CSV */
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
                        "text/csv": string;
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
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams change notifications
         * @description Each event is a SiteEvent: it names what to refetch, without the data.
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
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": components["schemas"]["SiteEvent"];
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
    "/api/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The ledger */
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
                        "application/json": components["schemas"]["Ledger"];
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
    "/api/ledger/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signed entries, one per line
         * @description `consilium ledger verify` checks such a file, offline.
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
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/jsonl": string;
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
    "/api/ledger/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Charges the spending missing from an old copy of the ledger
         * @description For an agent restored from an old backup. Until then nothing is spent. If this hospital only knows the position of a head, the body must give the amount to charge.
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
                        /** @description ε that a person declares to be lost, in every population at its δ, where only the place of a head is known. */
                        charge?: number;
                    } | null;
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Reconciled"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Each population's spending over time */
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
                        "application/json": components["schemas"]["LedgerSeries"][];
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
    "/api/ledger/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Verifies the ledger: its chain, signatures and known heads */
        get: {
            parameters: {
                query?: {
                    anchor?: string | string[];
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
                        "application/json": components["schemas"]["LedgerReport"];
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
    "/api/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a one-time link to create an account */
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
                        /** @enum {string} */
                        role: "operator" | "viewer" | "administrator" | "approver";
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
                        "application/json": components["schemas"]["OneTimeLink"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
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
    "/api/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The hospital's policy */
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
                        "application/json": components["schemas"]["Policy"];
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
        /**
         * Saves the policy and keeps the previous version
         * @description `version` must be the version of the edited text, so that no change is lost. An invalid text is not saved.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        text: string;
                        /** @description The version that was edited; null where there was no file. */
                        version: string | null;
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
                        "application/json": components["schemas"]["Policy"];
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
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/policy/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Checks a policy: its errors, and the effect on waiting studies; nothing is saved */
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
                        text: string;
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
                        "application/json": components["schemas"]["PolicyCheck"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/policy/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Previous policies */
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
                        "application/json": components["schemas"]["PolicyVersion"][];
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
    "/api/policy/history/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A previous policy */
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
                        "application/json": components["schemas"]["PolicyVersionText"];
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
    "/api/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Profiles the table for a study file; it stays at the hospital
         * @description Counts of rows and cells by column. Minimum, mean and maximum are only in `consilium site profile`.
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
                        /** @description A study file, YAML or JSON. */
                        study: string;
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
                        "application/json": components["schemas"]["Profile"];
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
        /**
         * Returns the current session
         * @description Always answers 200: `account` is null when not signed in.
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
         * Sign in
         * @description Sets the session cookie. Send the response's `csrf` with every change, in the header `x-consilium-csrf`.
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
                        name: string;
                        password: string;
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
    "/api/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the password; ends the account's other sessions */
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
                        current: string;
                        password: string;
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a one-time link
         * @description Creates the account, or sets its password, and signs in. The secret is the part of the link after `#`.
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
                        secret: string;
                        name: string;
                        password: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/setup/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns the account of a one-time link */
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
                        secret: string;
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
                        "application/json": components["schemas"]["SetupLink"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The site's status */
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
                        "application/json": components["schemas"]["SiteStatus"];
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
    "/api/studies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Offered studies
         * @description Newest first, 500 at most; `after` takes the last id of the previous page.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
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
                        "application/json": components["schemas"]["OfferedStudy"][];
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
    "/api/studies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A study with its explanation */
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
                        "application/json": components["schemas"]["ExplainedStudy"];
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
    "/api/studies/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves a study
         * @description Reserves the study's cost in the ledger. Only a waiting study can be approved; the policy is checked again.
         */
        post: {
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
                        "application/json": components["schemas"]["Decided"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Profiles the table for an offered study; it stays at the hospital */
        post: {
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
                        "application/json": components["schemas"]["Profile"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/refuse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Denies a study; the reason stays at the hospital
         * @description The aggregator learns that the study was denied, but not the reason.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string | null;
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
                        "application/json": components["schemas"]["Decided"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tokens of programs */
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
                        "application/json": components["schemas"]["ApiToken"][];
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
        /** Create a token; it is only returned here */
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
                        /** @enum {string} */
                        role: "operator" | "viewer" | "administrator" | "approver";
                        label: string;
                        /** @description Left out: it does not expire. */
                        expiresInMs?: number;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["MadeToken"];
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a token */
        delete: {
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            name: string;
            /** @enum {string} */
            role: "operator" | "viewer" | "administrator" | "approver";
            /** Format: date-time */
            createdAt: string;
            lastSignInAt: string | null;
            /**
             * @description `password`, `oidc`, or `link`: a one-time link is out and no password set.
             * @enum {string}
             */
            method: "password" | "oidc" | "link";
        };
        ApiToken: {
            id: string;
            /** @enum {string} */
            role: "operator" | "viewer" | "administrator" | "approver";
            label: string;
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
        };
        Audit: {
            events: components["schemas"]["AuditEvent"][];
            /** @description What to ask for as `before` for older ones; null: these were the oldest. */
            next: number | null;
        };
        AuditEvent: {
            id: number;
            /** Format: date-time */
            at: string;
            /** @description The account's or the token's name; null: a site, or the process itself. */
            actor: string | null;
            /** @description What was done. */
            kind: string;
            study: string | null;
            site: string | null;
            detail: string;
        };
        DataProtection: {
            /** Format: date-time */
            madeAt: string;
            software: string;
            aggregatorSoftware: string | null;
            /** @enum {string} */
            madeFrom: "running agent" | "at rest";
            hospital: {
                site: string;
                federation: string;
                aggregator: string;
                rootFingerprint: string;
                signingKeyFingerprint: string;
                /** Format: date-time */
                certificateExpiresAt: string;
            };
            tables: components["schemas"]["ProtectionTable"][];
            studies: components["schemas"]["ProtectionStudy"][];
            studiesWithoutText: {
                code: string | null;
                studies: number;
            }[];
            flows: components["schemas"]["ProtectionFlow"][];
            notFlowing: string[];
            neverLeaves: string[];
            comesIn: string[];
            recipients: components["schemas"]["ProtectionRecipient"][];
            guarantees: components["schemas"]["ProtectionTopic"][];
            populations: components["schemas"]["Population"][];
            notCovered: string[];
            retention: components["schemas"]["ProtectionRetention"][];
            measures: components["schemas"]["ProtectionTopic"][];
            gaps: string[];
            officer: components["schemas"]["ProtectionTopic"][];
        };
        DataProtectionAnswer: {
            document: components["schemas"]["DataProtection"];
            markdown: string;
        };
        /** @description Of a decision that was taken. */
        Decided: {
            study: components["schemas"]["ExplainedStudy"];
            /** @description Whether the aggregator could be told at once; if not, it asks again. */
            connected: boolean;
        };
        /** @description One message that was sent, or several of one day. */
        Egress: {
            /** Format: date-time */
            at: string;
            /**
             * Format: date-time
             * @description When the last of them was sent.
             */
            lastAt: string;
            /** @description Null for what is sent whether or not there is a study. */
            study: string | null;
            /** @description The stage or the exchange of the study; empty where there is none. */
            step: string;
            what: string;
            whom: string;
            /** @description How many messages of one day the line stands for. */
            messages: number;
            /** @description Of all of them. */
            bytes: number;
            /** @description Of the message as it was sent, or of the content of an upload. */
            sha256: string;
            /** @description Whether the line stands for different messages: then the hash of each further one enters by SHA-256 of the line's hash so far, a line feed and the message's hash, both in hexadecimal. */
            isChained: boolean;
            /** @description What the ledger charged for it; null for what reveals nothing of records. */
            charge: {
                entry: number;
                population: string;
                /** @description Null where nothing is proved. */
                epsilon: number | null;
                delta: number;
                /**
                 * @description The unit of privacy that every ε here is counted for: one row, or one patient with all rows.
                 * @enum {string}
                 */
                unit: "row" | "patient";
                /** @description What the method's authors claim, where nothing is proved. */
                claimedEpsilon: number | null;
            } | null;
        };
        EpsilonCost: {
            /** @description Null where nothing is proved. */
            epsilon: number | null;
            delta: number;
            /**
             * @description The unit of privacy that every ε here is counted for: one row, or one patient with all rows.
             * @enum {string}
             */
            unit: "row" | "patient";
            /** @description What the method's authors claim, where nothing is proved. */
            claimedEpsilon: number | null;
        };
        /**
         * @description Stable: docs/ERRORS.md lists them.
         * @enum {string}
         */
        ErrorCode: "USAGE" | "INTERRUPTED" | "CONFIG_INVALID" | "STATE_MISSING" | "STATE_LOCKED" | "STORE_LOST" | "DISK_FULL" | "BACKUP_INVALID" | "PORT_IN_USE" | "UNREACHABLE" | "PROXY_FAILED" | "TLS_INTERCEPTED" | "STUDY_INVALID" | "STUDY_UNKNOWN" | "STUDY_STATE" | "TABLE_UNKNOWN" | "TABLE_UNREADABLE" | "TABLE_CHANGED" | "TABLE_EMPTY" | "ENGINE_UNSUITABLE" | "ENGINE_FAILED" | "ENGINE_VERSION" | "COLUMN_MISSING" | "COLUMN_AMBIGUOUS" | "COLUMN_TYPE" | "VALUE_NOT_FINITE" | "VALUE_MISSING" | "LEVEL_UNDECLARED" | "ROWS_TOO_FEW" | "ROWS_TOO_MANY" | "COLUMN_CONSTANT" | "POLICY_INVALID" | "POLICY_CHANGED" | "POLICY_UNWRITABLE" | "POLICY_ANALYSIS" | "POLICY_NO_PRIVACY" | "POLICY_VARIANT" | "METHODS_MISSING" | "POLICY_COLUMN" | "POLICY_EPSILON" | "POLICY_DELTA" | "POLICY_UNIT" | "POLICY_POPULATION" | "POLICY_SITES" | "POLICY_SCHEDULE" | "POLICY_COLLUDING" | "POLICY_ROWS" | "REFUSED_BY_SITE" | "OFFERS_TOO_MANY" | "APPROVAL_LATE" | "PREFLIGHT_FAILED" | "BUDGET_EXHAUSTED" | "LEDGER_BROKEN" | "LEDGER_BEHIND" | "LEDGER_HEAD_INVALID" | "TOKEN_INVALID" | "TOKEN_EXPIRED" | "TOKEN_USED" | "TOKEN_WITHDRAWN" | "SITE_ENROLLED" | "INVITATION_OPEN" | "IDENTITY_REPLACED" | "AUTHORITY_MISMATCH" | "CERTIFICATE_MISSING" | "CERTIFICATE_INVALID" | "SITE_EXPELLED" | "REVOCATIONS_INVALID" | "REVOCATIONS_STALE" | "REVOCATIONS_UNCONFIRMED" | "REVOCATIONS_EXPIRED" | "NOT_PERMITTED" | "ADDRESS_UNKNOWN" | "UNAUTHENTICATED" | "SIGN_IN_FAILED" | "SIGN_IN_BUSY" | "CROSS_SITE" | "HOST_UNKNOWN" | "LINK_INVALID" | "ACCOUNT_UNKNOWN" | "ACCOUNT_EXISTS" | "ACCOUNT_LAST" | "API_TOKEN_UNKNOWN" | "OIDC_FAILED" | "PROTOCOL_VERSION" | "FIELD_INVALID" | "MESSAGE_TOO_LARGE" | "RATE_LIMITED" | "MESSAGE_UNEXPECTED" | "UPLOAD_ORDER" | "UPLOAD_TRUNCATED" | "UPLOAD_HASH" | "UPLOAD_CHANGED" | "UPLOAD_LENGTH" | "STUDY_HASH" | "PLAN_DIFFERS" | "ROSTER_INVALID" | "ROSTER_UNPINNED" | "ROSTER_TOO_SMALL" | "BROADCAST_CHANGED" | "BROADCAST_INVALID" | "SEAL_BROKEN" | "COMMITMENT_BROKEN" | "KEYS_INVALID" | "SHARES_INVALID" | "SUM_THRESHOLD" | "TRANSCRIPT_DIFFERS" | "SURVIVORS_INVALID" | "SURVIVORS_CHANGED" | "SUM_REPLAYED" | "UNMASK_FAILED" | "PHASE_DEADLINE" | "SUM_IMPLAUSIBLE" | "STUDY_CANCELLED" | "SITE_FAILED" | "RELEASE_UNKNOWN" | "RELEASE_CORRUPT" | "CERTIFICATE_EPSILON" | "COUNTERSIGNATURE_INVALID" | "STATEMENT_INVALID" | "DEPOSIT_INVALID" | "PUBLISHER_UNREACHABLE" | "METHOD_REFUSED" | "INTERNAL";
        /** @description The list of expelled sites, as this site knows it. */
        ExpelledList: {
            /** @description Grows by one with every list; null before the first one came. */
            number: number | null;
            /** @description How many keys it names. */
            sites: number;
            /** @description When the authority signed it; null of a list without dates. */
            issuedAt: string | null;
            /** @description By when the authority is to sign it again. */
            nextUpdate: string | null;
            /** @description When the aggregator last confirmed that it is the newest; null: never. */
            confirmedAt: string | null;
            /** @description Why the site takes part in no new study; null where nothing is wrong. */
            fault: {
                code: string;
                message: string;
                remedy: string;
            } | null;
        };
        /** @description A study in plain words, by the site's own reading of the plan. */
        ExplainedStudy: {
            id: string;
            name: string;
            /** @enum {string} */
            status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
            /** @description The status as the end of a sentence. */
            words: string;
            table: string;
            analysis: string;
            method: string;
            variant: string;
            /** Format: date-time */
            firstSeenAt: string;
            endedAt: string | null;
            /** @description Until when it can be approved; null when it does not wait for that. */
            approveUntil: string | null;
            decidedAt: string | null;
            /** @description Who approved or refused it: an account, or the command line. */
            decidedBy: string | null;
            /** @description Why it was refused or came to a stop: stays at the site. */
            code: string | null;
            reason: string | null;
            hash: string;
            /** @description The study as it was offered. */
            study: unknown;
            /** @description What the policy says of it as it stands now. */
            verdict: {
                allowed: boolean;
                code: string | null;
                message: string | null;
            };
            /** @description Which rule of the policy decides, as it stands now. */
            decision: components["schemas"]["PolicyDecision"];
            claim: components["schemas"]["PrivacyClaim"];
            leaving: components["schemas"]["Leaving"][];
            /** @description Of all stages together, at most. */
            leavingBytes: number;
            /** @description Null for a study that this hospital is no part of, or that has ended. */
            budget: components["schemas"]["StudyBudget"] | null;
            explanation: components["schemas"]["Section"][];
        };
        Failure: {
            code: components["schemas"]["ErrorCode"];
            /** @description what, where and the numbers */
            message: string;
            /** @description what to do about it */
            remedy: string;
        };
        /** @description Stages that disclose the same in the same words. */
        Leaving: {
            /** @description Numbers of the stages in the plan, as people write them: `3`, `1-2`. */
            numbers: string;
            name: string;
            /** @description What the numbers are, in the plan's own words. */
            what: string;
            /** @enum {string} */
            form: "masked sum" | "rows in the clear" | "tag counts";
            /** @description What the form means: who can read it, and who cannot. */
            formWords: string;
            noise: string;
            learns: string;
            /** @description Of one stage, at most. */
            bytes: number;
            stages: number;
        };
        Ledger: {
            federation: string;
            site: string;
            head: {
                sequence: number;
                hash: string;
            };
            /** @description Null when nothing is missing. */
            behind: components["schemas"]["LedgerBehind"] | null;
            populations: components["schemas"]["Population"][];
            entries: components["schemas"]["LedgerEntry"][];
        };
        /** @description What a kept head of the ledger proves to be missing from it. */
        LedgerBehind: {
            /** @description Of the head. */
            sequence: number;
            /** @description Whether this hospital has kept what was spent up to the head; if not, a person has to declare what was lost. */
            isKnown: boolean;
            /** @description What a reconciliation charges to each population; empty where it is not known. */
            lost: {
                population: string;
                /** @description Null where nothing is proved. */
                epsilon: number | null;
                delta: number;
                /**
                 * @description The unit of privacy that every ε here is counted for: one row, or one patient with all rows.
                 * @enum {string}
                 */
                unit: "row" | "patient";
                /** @description What the method's authors claim, where nothing is proved. */
                claimedEpsilon: number | null;
                unbounded: number;
            }[];
        };
        LedgerEntry: {
            sequence: number;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            kind: "open" | "reserve" | "commit" | "release" | "reconcile";
            populations: string[];
            study: string | null;
            /** @description Stages with their attempts. */
            stages: string[];
            /** @description Of a reservation, a commitment or a reconciliation; null where nothing is charged. */
            cost: components["schemas"]["EpsilonCost"] | null;
            hash: string;
        };
        /** @description A ledger that holds. */
        LedgerReport: {
            federation: string;
            site: string;
            entries: number;
            head: {
                sequence: number;
                hash: string;
            };
            /** @description Fingerprints of every key that it was signed with, the present one last. */
            keys: string[];
            /** @description What is committed, by population and unit, as it was booked. */
            populations: {
                population: string;
                /**
                 * @description The unit of privacy that every ε here is counted for: one row, or one patient with all rows.
                 * @enum {string}
                 */
                unit: "row" | "patient";
                rho: number;
                unbounded: number;
            }[];
            /** @description What was kept of the ledger elsewhere. */
            anchors: {
                /** @description Where it was kept, in words. */
                from: string;
                sequence: number;
                hash: string;
                /** @enum {string} */
                state: "held" | "reconciled" | "missing";
            }[];
        };
        LedgerSeries: {
            population: string;
            /** @description At which ε is shown. */
            delta: number;
            /**
             * @description The unit of privacy that every ε here is counted for: one row, or one patient with all rows.
             * @enum {string}
             */
            unit: "row" | "patient";
            /** @description Null: the hospital sets no limit. */
            limit: number | null;
            /** @description In the ledger's order; at most some hundreds. */
            points: {
                /** Format: date-time */
                at: string;
                /** @description The ledger's entry after which it stood so. */
                entry: number;
                /** @description ε of what has left and is proved. */
                spent: number;
                /** @description ε of that and of what is reserved. */
                held: number;
                /** @description Releases for which nothing is proved. */
                unproved: number;
            }[];
        };
        LevelProfile: {
            name: string;
            /** @description Cells without a value, in all rows. */
            missing: number;
            /** @description Rows left out because this column's value is missing; a row may count at several columns. */
            rejectedRows: number;
            /** @description Whether all used rows have one value. */
            constant: boolean;
            /** @constant */
            type: "categorical";
            /** @description In declared order, the level for missing values last where the study declares one. */
            levels: {
                level: string;
                rows: number;
            }[];
        };
        LossDistribution: {
            epsilon: number;
            entries: {
                shift: {
                    most: number;
                    shareVariance: number;
                    noiseShares: number;
                };
                count: number;
            }[];
        };
        /** @description `token` is shown this once; what is kept of it is a hash. */
        MadeToken: {
            id: string;
            /** @enum {string} */
            role: "operator" | "viewer" | "administrator" | "approver";
            label: string;
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            token: string;
        };
        NumericProfile: {
            name: string;
            /** @description Cells without a value, in all rows. */
            missing: number;
            /** @description Rows left out because this column's value is missing; a row may count at several columns. */
            rejectedRows: number;
            /** @description Whether all used rows have one value. */
            constant: boolean;
            /** @constant */
            type: "numeric";
            unit: string | null;
            declared: {
                min: number;
                max: number;
            };
            /** @description Values of used rows below and above the declared bounds: they count as the bound. */
            below: number;
            above: number;
            /** @description Of the used values, after clamping; null without a used row, and in the console, which shows counts alone. stdDev divides by n - 1 and needs two rows. */
            min: number | null;
            mean: number | null;
            max: number | null;
            stdDev: number | null;
        };
        /** @description A study in the hospital's own list. */
        OfferedStudy: {
            id: string;
            name: string;
            /** @enum {string} */
            status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
            /** @description The status as the end of a sentence. */
            words: string;
            table: string;
            analysis: string;
            method: string;
            variant: string;
            /** Format: date-time */
            firstSeenAt: string;
            endedAt: string | null;
            /** @description Until when it can be approved; null when it does not wait for that. */
            approveUntil: string | null;
            decidedAt: string | null;
            /** @description Who approved or refused it: an account, or the command line. */
            decidedBy: string | null;
            /** @description Why it was refused or came to a stop: stays at the site. */
            code: string | null;
            reason: string | null;
        };
        OneTimeLink: {
            /** @description Null: anyone who opens the link chooses it. */
            name: string | null;
            /** @enum {string} */
            role: "operator" | "viewer" | "administrator" | "approver";
            /** Format: date-time */
            expiresAt: string;
            /** @description Shown this once. Its secret stands in the fragment, which no server is sent. */
            url: string;
        };
        Policy: {
            status: components["schemas"]["PolicyStatus"];
            /** @description The file as it stands; null where there is none. */
            text: string | null;
            /** @description Of the file's bytes, whether it holds or not: to be named when it is saved again. Null where there is none. */
            version: string | null;
            faults: components["schemas"]["PolicyFault"][];
            /** @description A text to begin with, where there is no file: what holds without one. */
            suggestion: string;
            /** @description Of the site's configuration: studies may name these tables. */
            tables: string[];
            /** @description `allowNoPrivacy` of config.yaml, which no policy can give. */
            allowNoPrivacy: boolean;
        };
        PolicyCheck: {
            faults: components["schemas"]["PolicyFault"][];
            /** @description Of every study that waits for a person; empty while the text has faults. */
            waiting: components["schemas"]["PolicyDryRun"][];
            /** @description What the text comes to beyond its rules, such as a budget that is spent already; whole sentences. */
            warnings: string[];
        };
        /** @description Which rule decides on a study, and how. */
        PolicyDecision: {
            /**
             * @description `refused`: by a rule, without anybody being asked.
             * @enum {string}
             */
            outcome: "refused" | "person" | "automatic";
            /** @description The key of policy.yaml that decides, such as `perStudy.epsilon`. */
            rule: string;
            /** @description Whole sentences. */
            words: string;
            /** @description The code of a refusal. */
            code: string | null;
        };
        /** @description What a study that waits would meet under the policy that is being edited. */
        PolicyDryRun: {
            id: string;
            name: string;
            claim: components["schemas"]["PrivacyClaim"];
            /** @description Null while the present policy has faults: it refuses everything. */
            present: components["schemas"]["PolicyDecision"] | null;
            edited: components["schemas"]["PolicyDecision"];
        };
        /** @description One thing that is wrong with a policy's text. */
        PolicyFault: {
            /** @description From 1; null for what has no line, such as a missing key. */
            line: number | null;
            message: string;
        };
        PolicyStatus: {
            path: string;
            /**
             * @description `absent`: the defaults hold. `invalid`: every study is refused.
             * @enum {string}
             */
            state: "read" | "absent" | "invalid";
            /** @description Of the file's bytes; null unless it was read and holds. */
            sha256: string | null;
            /** @description Why it is invalid. */
            fault: string | null;
        };
        /** @description A policy that was replaced. */
        PolicyVersion: {
            id: string;
            /** Format: date-time */
            replacedAt: string;
            /** @description The account or the token that saved the one after it. */
            replacedBy: string;
            sha256: string;
        };
        PolicyVersionText: {
            id: string;
            /** Format: date-time */
            replacedAt: string;
            /** @description The account or the token that saved the one after it. */
            replacedBy: string;
            sha256: string;
            text: string;
        };
        /** @description What one population has spent, and has left. */
        Population: {
            name: string;
            tables: string[];
            delta: number;
            /**
             * @description The unit of privacy that every ε here is counted for: one row, or one patient with all rows.
             * @enum {string}
             */
            unit: "row" | "patient";
            /** @description Null: the hospital sets no limit. */
            limit: number | null;
            /** @description ε of what has left and is proved. */
            spent: number;
            /** @description ε that reservations add to it. */
            reserved: number;
            remaining: number | null;
            /** @description Releases for which nothing is proved: with any of them, the population has no proved bound in total. */
            unbounded: number;
            /** @description What counts otherwise than it was booked, such as earlier spending in another unit; whole sentences. */
            notes: string[];
        };
        PrivacyClaim: {
            /** @enum {string} */
            verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
            epsilon: number | null;
            delta: number | null;
            /** @description The sharper ε, where the exact loss distribution is proved. */
            lossDistribution?: components["schemas"]["LossDistribution"];
            /**
             * @description epsilon is that of lossDistribution.
             * @constant
             */
            isExact?: true;
            neighbouringRelation: string;
            /** @description Whom it protects. */
            unit: string;
            proof: string | null;
            reasons: string[];
        };
        Profile: {
            report: components["schemas"]["ProfileReport"];
            /** @description The same as a table to read on a terminal. */
            text: string;
        };
        ProfileReport: {
            table: string;
            study: string;
            files: number;
            /** @description Rows in the files; those the study would use; those that a missing value or a fault rules out. */
            rows: number;
            used: number;
            rejected: number;
            /** @description Rows that cannot be taken apart, left out of all other numbers; at least so many. A sound study continues without them. */
            malformed: number;
            /** @description Usable rows that are left out because the table is longer than the study takes. */
            unsampled: number;
            maxRowsPerSite: number;
            /** @description Whose rows they are, where the study names the patient. */
            patients: {
                column: string;
                maxRows: number;
                /** @description The column by which rows of a patient are chosen; null where a keyed hash of the row decides. */
                orderBy: string | null;
                /** @description Patients of whom the study would use a row. */
                patients: number;
                /** @description Usable rows left out because their patient has more than `maxRows`; not among the rejected ones. */
                overBound: number;
                /** @description Rows rejected because their patient is missing; a row may count at a column as well. */
                withoutPatient: number;
            } | null;
            /** @description Features in the study's order. */
            columns: (components["schemas"]["NumericProfile"] | components["schemas"]["LevelProfile"])[];
            label: components["schemas"]["LevelProfile"] | null;
            /** @description Cells that no rule of the study covers. A sound study leaves their rows out, another one cannot use the table until they are corrected. */
            problems: {
                code: string;
                column: string;
                count: number;
                /** @description The first such row, from 1. */
                row: number;
                file: string | null;
            }[];
        };
        ProtectionColumn: {
            name: string;
            type: string;
        };
        ProtectionEgress: {
            what: string;
            whom: string;
            messages: number;
            bytes: number;
            charged: boolean;
        };
        ProtectionFlow: {
            name: string;
            what: string;
            to: string;
            when: string;
            personal: string;
            protection: string;
            sent: {
                messages: number;
                bytes: number;
            } | null;
        };
        ProtectionRecipient: {
            who: string;
            receives: string;
        };
        ProtectionRetention: {
            what: string;
            where: string;
            holds: string;
            howLong: string;
            removal: string;
            growsWithoutLimit: boolean;
        };
        ProtectionStudy: {
            id: string;
            name: string;
            /** @enum {string} */
            status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
            words: string;
            joined: boolean;
            title: string | null;
            description: string | null;
            creator: string | null;
            analysis: string;
            method: string;
            variant: string;
            table: string;
            population: string;
            columns: components["schemas"]["ProtectionColumn"][];
            patient: {
                column: string;
                maxRows: number;
            } | null;
            maxRows: number;
            minimumSites: number;
            withstands: number;
            /** @enum {string} */
            readers: "open" | "token";
            /** Format: date-time */
            offeredAt: string;
            endedAt: string | null;
            decision: {
                /** @enum {string} */
                outcome: "joined" | "refused" | "open";
                person: string | null;
                at: string | null;
                code: string | null;
                reason: string | null;
            };
            claim: components["schemas"]["PrivacyClaim"];
            leaving: components["schemas"]["Leaving"][];
            cost: string[];
            spent: {
                epsilon: number;
                delta: number;
                unproved: number;
            };
            left: components["schemas"]["ProtectionEgress"][];
        };
        ProtectionTable: {
            name: string;
            source: string;
            columns: components["schemas"]["ProtectionColumn"][];
            population: string;
            columnRule: string | null;
            columnsRead: string[];
            patientColumns: string[];
        };
        ProtectionTopic: {
            title: string;
            paragraphs: string[];
        };
        Reconciled: {
            /** @description Of the entries that were charged. */
            entries: number[];
            /** @description Studies that ended here. */
            abandoned: string[];
            ledger: components["schemas"]["Ledger"];
        };
        /** @description A titled part of a study's explanation. */
        Section: {
            title: string;
            paragraphs: string[];
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
        SetupLink: {
            /** @description Null: anyone who opens the link chooses it. */
            name: string | null;
            /** @enum {string} */
            role: "operator" | "viewer" | "administrator" | "approver";
            /** Format: date-time */
            expiresAt: string;
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
        /** @description What has changed at a site, sent whenever it is another than before: a reader asks again for what it shows of it. Nothing of a study or a record is in it. */
        SiteEvent: {
            connected: boolean;
            /** @description Studies that wait for a person. */
            waiting: number;
            /** @description A text that differs whenever the studies do; so the next three. */
            studies: string;
            ledger: string;
            egress: string;
            policy: string;
        };
        /** @description How a site stands, for its own hospital. */
        SiteStatus: {
            site: string;
            federation: string;
            software: string;
            /** Format: date-time */
            startedAt: string;
            /** @description `host:port` that the agent dials. */
            aggregator: string;
            connected: boolean;
            /** @description Null while it is not connected. */
            connectedSince: string | null;
            /** @description Of the last failure, until the next success. */
            lastFault: {
                code: string;
                message: string;
                remedy: string;
            } | null;
            aggregatorSoftware: string | null;
            /** Format: date-time */
            certificateExpiresAt: string;
            /**
             * Format: date-time
             * @description The agent renews it by itself at half its life.
             */
            certificateRenewsAt: string;
            signingKeyFingerprint: string;
            expelledList: components["schemas"]["ExpelledList"];
            /** @description Names, as the configuration has them. */
            tables: string[];
            /** @description Of each table, whom an ε protects, in words: `row`, `patient of at most 5 rows`. */
            units: {
                [key: string]: string;
            };
            policy: components["schemas"]["PolicyStatus"];
            ledger: {
                entries: number;
                /** @description Whether this copy is an old one: nothing is spent until it is reconciled. */
                behind: boolean;
            };
            /** @description Of the state folder's disk; null where the system does not say. */
            disk: {
                freeBytes: number;
                totalBytes: number;
            } | null;
            studies: {
                id: string;
                name: string;
                /** @enum {string} */
                status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
                /** Format: date-time */
                firstSeenAt: string;
                endedAt: string | null;
                code: string | null;
                reason: string | null;
            }[];
        };
        /** @description What a study does to the budget of the population that its table belongs to. Every ε is rounded so that no more seems left than is. */
        StudyBudget: {
            population: string;
            tables: string[];
            delta: number;
            /**
             * @description The unit of privacy that every ε here is counted for: one row, or one patient with all rows.
             * @enum {string}
             */
            unit: "row" | "patient";
            /** @description How many times the plan's cost is charged, where the hospital counts patients and the study rows. */
            factor: number;
            /** @description Null: the hospital sets no limit. */
            limit: number | null;
            /** @description ε that is spent or reserved without this study; `after`: with it. */
            before: number;
            after: number;
            remainingBefore: number | null;
            remainingAfter: number | null;
            /** @description Whether the limit leaves room for it. */
            fits: boolean;
            /** @description Earlier releases, and stages of this study, for which nothing is proved. */
            unprovedBefore: number;
            unprovedHere: number;
            /** @description Whether the study's cost is reserved or spent already. */
            charged: boolean;
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
