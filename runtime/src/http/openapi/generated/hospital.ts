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
        /** Add an account; its person sets the password by the one-time link */
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
        /** Make a one-time link to set an account's password */
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
        /** Who did what, newest first */
        get: {
            parameters: {
                query?: {
                    before?: number;
                    limit?: number;
                    study?: string;
                    site?: string;
                    actor?: string;
                    kind?: string;
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
    "/api/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the doctor finds */
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
        /** What left this hospital */
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
        /** What left this hospital, as CSV */
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
        /** What is different, as server-sent events */
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
        /** The signed entries, one per line */
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
        /** Charges what an old copy of the ledger has lost */
        post: {
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
        /** Whether the ledger holds: its chain, its signatures, and what was kept of it elsewhere */
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
        /** Make a one-time link by which somebody makes an account */
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
        /** Go to the identity provider */
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
        /** Saves the policy; the version before it is kept */
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
        /** Tries a policy out: its faults, and what waiting studies would meet; nothing is saved */
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
        /** Policies that were replaced */
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
        /** A policy that was replaced */
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
        /** The table as a study file would see it; it stays at the hospital */
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
        /** Who is signed in */
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
        /** Sign in */
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
        /** Change the password; every other session of the account ends */
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
        /** Use a one-time link */
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
        /** For whom a one-time link is */
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
        /** How the site stands */
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
        /** Studies that were offered */
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
        /** A study in plain words */
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
        /** This hospital takes part */
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
        /** The table as an offered study would see it; it stays at the hospital */
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
        /** This hospital does not take part; the reason stays here */
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
        /** Make a token; it is shown this once */
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
            /** @enum {string} */
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
            next: number | null;
        };
        AuditEvent: {
            id: number;
            /** Format: date-time */
            at: string;
            actor: string | null;
            kind: string;
            study: string | null;
            site: string | null;
            detail: string;
        };
        Decided: {
            study: components["schemas"]["ExplainedStudy"];
            connected: boolean;
        };
        Egress: {
            /** Format: date-time */
            at: string;
            study: string;
            step: string;
            what: string;
            whom: string;
            bytes: number;
            sha256: string;
            charge: {
                entry: number;
                population: string;
                epsilon: number | null;
                delta: number;
                claimedEpsilon: number | null;
            } | null;
        };
        EpsilonCost: {
            epsilon: number | null;
            delta: number;
            claimedEpsilon: number | null;
        };
        /**
         * @description Stable: docs/ERRORS.md lists them.
         * @enum {string}
         */
        ErrorCode: "USAGE" | "INTERRUPTED" | "CONFIG_INVALID" | "STATE_MISSING" | "STATE_LOCKED" | "STORE_LOST" | "BACKUP_INVALID" | "PORT_IN_USE" | "UNREACHABLE" | "PROXY_FAILED" | "TLS_INTERCEPTED" | "STUDY_INVALID" | "STUDY_UNKNOWN" | "STUDY_STATE" | "TABLE_UNKNOWN" | "TABLE_UNREADABLE" | "TABLE_CHANGED" | "TABLE_EMPTY" | "COLUMN_MISSING" | "COLUMN_AMBIGUOUS" | "COLUMN_TYPE" | "VALUE_NOT_FINITE" | "VALUE_MISSING" | "LEVEL_UNDECLARED" | "ROWS_TOO_FEW" | "ROWS_TOO_MANY" | "COLUMN_CONSTANT" | "POLICY_INVALID" | "POLICY_CHANGED" | "POLICY_UNWRITABLE" | "POLICY_ANALYSIS" | "POLICY_NO_PRIVACY" | "POLICY_VARIANT" | "POLICY_COLUMN" | "POLICY_EPSILON" | "POLICY_DELTA" | "POLICY_SITES" | "POLICY_COLLUDING" | "POLICY_ROWS" | "REFUSED_BY_SITE" | "APPROVAL_LATE" | "PREFLIGHT_FAILED" | "BUDGET_EXHAUSTED" | "LEDGER_BROKEN" | "LEDGER_BEHIND" | "LEDGER_HEAD_INVALID" | "TOKEN_INVALID" | "TOKEN_EXPIRED" | "TOKEN_USED" | "AUTHORITY_MISMATCH" | "CERTIFICATE_MISSING" | "CERTIFICATE_INVALID" | "SITE_EXPELLED" | "REVOCATIONS_INVALID" | "REVOCATIONS_STALE" | "NOT_PERMITTED" | "ADDRESS_UNKNOWN" | "UNAUTHENTICATED" | "SIGN_IN_FAILED" | "SIGN_IN_BUSY" | "CROSS_SITE" | "HOST_UNKNOWN" | "LINK_INVALID" | "ACCOUNT_UNKNOWN" | "ACCOUNT_EXISTS" | "ACCOUNT_LAST" | "API_TOKEN_UNKNOWN" | "OIDC_FAILED" | "PROTOCOL_VERSION" | "FIELD_INVALID" | "MESSAGE_TOO_LARGE" | "RATE_LIMITED" | "MESSAGE_UNEXPECTED" | "UPLOAD_ORDER" | "UPLOAD_TRUNCATED" | "UPLOAD_HASH" | "UPLOAD_CHANGED" | "UPLOAD_LENGTH" | "STUDY_HASH" | "PLAN_DIFFERS" | "ROSTER_INVALID" | "ROSTER_UNPINNED" | "ROSTER_TOO_SMALL" | "BROADCAST_CHANGED" | "BROADCAST_INVALID" | "SEAL_BROKEN" | "COMMITMENT_BROKEN" | "KEYS_INVALID" | "SHARES_INVALID" | "SUM_THRESHOLD" | "TRANSCRIPT_DIFFERS" | "SURVIVORS_INVALID" | "SURVIVORS_CHANGED" | "SUM_REPLAYED" | "UNMASK_FAILED" | "PHASE_DEADLINE" | "SUM_IMPLAUSIBLE" | "STUDY_CANCELLED" | "SITE_FAILED" | "RELEASE_UNKNOWN" | "RELEASE_CORRUPT" | "CERTIFICATE_EPSILON" | "COUNTERSIGNATURE_INVALID" | "STATEMENT_INVALID" | "DEPOSIT_INVALID" | "PUBLISHER_UNREACHABLE" | "INTERNAL";
        ExplainedStudy: {
            id: string;
            name: string;
            /** @enum {string} */
            status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
            words: string;
            table: string;
            analysis: string;
            method: string;
            variant: string;
            /** Format: date-time */
            firstSeenAt: string;
            endedAt: string | null;
            approveUntil: string | null;
            decidedAt: string | null;
            decidedBy: string | null;
            code: string | null;
            reason: string | null;
            hash: string;
            study: unknown;
            verdict: {
                allowed: boolean;
                code: string | null;
                message: string | null;
            };
            decision: components["schemas"]["PolicyDecision"];
            claim: components["schemas"]["PrivacyClaim"];
            leaving: components["schemas"]["Leaving"][];
            leavingBytes: number;
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
        Leaving: {
            numbers: string;
            name: string;
            what: string;
            /** @enum {string} */
            form: "masked sum" | "rows in the clear" | "tag counts";
            formWords: string;
            noise: string;
            learns: string;
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
            behind: components["schemas"]["LedgerBehind"] | null;
            populations: components["schemas"]["Population"][];
            entries: components["schemas"]["LedgerEntry"][];
        };
        LedgerBehind: {
            sequence: number;
            lost: {
                population: string;
                epsilon: number | null;
                delta: number;
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
            stages: string[];
            cost: components["schemas"]["EpsilonCost"] | null;
            hash: string;
        };
        LedgerReport: {
            federation: string;
            site: string;
            entries: number;
            head: {
                sequence: number;
                hash: string;
            };
            keys: string[];
            populations: {
                [key: string]: {
                    rho: number;
                    unbounded: number;
                };
            };
            anchors: {
                from: string;
                sequence: number;
                hash: string;
                /** @enum {string} */
                state: "held" | "reconciled" | "missing";
            }[];
        };
        LedgerSeries: {
            population: string;
            delta: number;
            limit: number | null;
            points: {
                /** Format: date-time */
                at: string;
                entry: number;
                spent: number;
                held: number;
                unproved: number;
            }[];
        };
        LevelProfile: {
            name: string;
            missing: number;
            rejectedRows: number;
            constant: boolean;
            /** @constant */
            type: "categorical";
            levels: {
                level: string;
                rows: number;
            }[];
        };
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
            missing: number;
            rejectedRows: number;
            constant: boolean;
            /** @constant */
            type: "numeric";
            unit: string | null;
            declared: {
                min: number;
                max: number;
            };
            below: number;
            above: number;
            min: number | null;
            mean: number | null;
            max: number | null;
            stdDev: number | null;
        };
        OfferedStudy: {
            id: string;
            name: string;
            /** @enum {string} */
            status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
            words: string;
            table: string;
            analysis: string;
            method: string;
            variant: string;
            /** Format: date-time */
            firstSeenAt: string;
            endedAt: string | null;
            approveUntil: string | null;
            decidedAt: string | null;
            decidedBy: string | null;
            code: string | null;
            reason: string | null;
        };
        OneTimeLink: {
            name: string | null;
            /** @enum {string} */
            role: "operator" | "viewer" | "administrator" | "approver";
            /** Format: date-time */
            expiresAt: string;
            url: string;
        };
        Policy: {
            status: components["schemas"]["PolicyStatus"];
            text: string | null;
            version: string | null;
            faults: components["schemas"]["PolicyFault"][];
            suggestion: string;
            tables: string[];
            allowNoPrivacy: boolean;
        };
        PolicyCheck: {
            faults: components["schemas"]["PolicyFault"][];
            waiting: components["schemas"]["PolicyDryRun"][];
            warnings: string[];
        };
        PolicyDecision: {
            /** @enum {string} */
            outcome: "refused" | "person" | "automatic";
            rule: string;
            words: string;
            code: string | null;
        };
        PolicyDryRun: {
            id: string;
            name: string;
            claim: components["schemas"]["PrivacyClaim"];
            present: components["schemas"]["PolicyDecision"] | null;
            edited: components["schemas"]["PolicyDecision"];
        };
        PolicyFault: {
            line: number | null;
            message: string;
        };
        PolicyStatus: {
            path: string;
            /** @enum {string} */
            state: "read" | "absent" | "invalid";
            sha256: string | null;
            fault: string | null;
        };
        PolicyVersion: {
            id: string;
            /** Format: date-time */
            replacedAt: string;
            replacedBy: string;
            sha256: string;
        };
        PolicyVersionText: {
            id: string;
            /** Format: date-time */
            replacedAt: string;
            replacedBy: string;
            sha256: string;
            text: string;
        };
        Population: {
            name: string;
            tables: string[];
            delta: number;
            limit: number | null;
            spent: number;
            reserved: number;
            remaining: number | null;
            unbounded: number;
        };
        PrivacyClaim: {
            /** @enum {string} */
            verdict: "proved" | "claimed by the authors, not verified" | "no privacy";
            epsilon: number | null;
            delta: number | null;
            neighbouringRelation: string;
            unit: string;
            proof: string | null;
            reasons: string[];
        };
        Profile: {
            report: components["schemas"]["ProfileReport"];
            text: string;
        };
        ProfileReport: {
            table: string;
            study: string;
            files: number;
            rows: number;
            used: number;
            rejected: number;
            maxRowsPerSite: number;
            patients: {
                column: string;
                maxRows: number;
                patients: number;
                overBound: number;
                withoutPatient: number;
            } | null;
            columns: (components["schemas"]["NumericProfile"] | components["schemas"]["LevelProfile"])[];
            label: components["schemas"]["LevelProfile"] | null;
            problems: {
                code: string;
                column: string;
                count: number;
                row: number;
                file: string | null;
            }[];
        };
        Reconciled: {
            entries: number[];
            abandoned: string[];
            ledger: components["schemas"]["Ledger"];
        };
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
            csrf: string;
            methods: components["schemas"]["SignInMethods"];
            /** Format: date-time */
            endsAt: string;
            hasPassword: boolean;
        };
        SetupLink: {
            name: string | null;
            /** @enum {string} */
            role: "operator" | "viewer" | "administrator" | "approver";
            /** Format: date-time */
            expiresAt: string;
        };
        SignInMethods: {
            password: boolean;
            token: boolean;
            oidc: {
                label: string;
            } | null;
        };
        SignedOut: {
            account: null;
            setup: boolean;
            methods: components["schemas"]["SignInMethods"];
        };
        SiteEvent: {
            connected: boolean;
            waiting: number;
            studies: string;
            ledger: string;
            egress: string;
            policy: string;
        };
        SiteStatus: {
            site: string;
            federation: string;
            software: string;
            /** Format: date-time */
            startedAt: string;
            aggregator: string;
            connected: boolean;
            connectedSince: string | null;
            lastFault: {
                code: string;
                message: string;
                remedy: string;
            } | null;
            aggregatorSoftware: string | null;
            /** Format: date-time */
            certificateExpiresAt: string;
            /** Format: date-time */
            certificateRenewsAt: string;
            signingKeyFingerprint: string;
            tables: string[];
            policy: components["schemas"]["PolicyStatus"];
            ledger: {
                entries: number;
                behind: boolean;
            };
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
        StudyBudget: {
            population: string;
            tables: string[];
            delta: number;
            limit: number | null;
            before: number;
            after: number;
            remainingBefore: number | null;
            remainingAfter: number | null;
            fits: boolean;
            unprovedBefore: number;
            unprovedHere: number;
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
