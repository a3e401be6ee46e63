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
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams the federation and its studies
         * @description Each event is the whole Console, at most two a second.
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
                        "text/event-stream": components["schemas"]["Console"];
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
    "/api/federation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The federation */
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
                        "application/json": components["schemas"]["Federation"];
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
    "/api/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Invitations */
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
                        "application/json": components["schemas"]["InvitationListEntry"][];
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
         * Invites a site: a token that enrols it once
         * @description A site has at most one open invitation; only one with `existing: replace` can replace an enrolled site's key.
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
                        site: string;
                        expiresInMs?: number;
                        /**
                         * @description What the invitation may do to what there is. `refuse`, the default: nothing; an enrolled site answers SITE_ENROLLED, an open invitation INVITATION_OPEN. `replace`: it withdraws the open invitation, and its token may replace the key that is enrolled now. `same-key`: its token serves the enrolled key only, such as one whose certificate has expired.
                         * @enum {string}
                         */
                        existing?: "refuse" | "replace" | "same-key";
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
                        "application/json": components["schemas"]["Invitation"];
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
    "/api/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraws an unused invitation */
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
    "/api/revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Updates the signed list of expelled sites
         * @description The list that `consilium expel` signs with the federation's own key, in base64.
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
                        /** Format: base64 */
                        list: string;
                    };
                };
            };
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
    "/api/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The sites and their state */
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
                        "application/json": components["schemas"]["Site"][];
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
        /** The studies, newest first */
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
                        "application/json": components["schemas"]["StudySummary"][];
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
         * Starts a study
         * @description Invites the sites and answers immediately; follow it at `/api/studies/{id}/events`. The body is a study file, YAML or JSON, as described in docs/METHODS.md. Every call starts another study.
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
                    "application/yaml": unknown;
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Study"];
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
    "/api/studies/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks a study: its errors, or its plan and cost
         * @description Answers 200 whether or not the file has errors. Nothing runs.
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
                    "application/yaml": unknown;
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyCheck"];
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
    "/api/studies/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plans a study; nothing runs
         * @description An invalid file is refused with STUDY_INVALID; `/api/studies/check` lists its errors.
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
                    "application/yaml": unknown;
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Plan"];
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
    "/api/studies/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A study's file as JSON Schema */
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
                            [key: string]: unknown;
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
    "/api/studies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A study */
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
                        "application/json": components["schemas"]["Study"];
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
    "/api/studies/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels a study
         * @description Sites send no further data for it; data already sent stay charged. An ended study answers STUDY_STATE.
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
                        "application/json": components["schemas"]["Study"];
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
    "/api/studies/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams a study's changes until it ends
         * @description Each event is the whole Study; the stream ends after the one with `endedAt`.
         */
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
                        "text/event-stream": components["schemas"]["Study"];
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
    "/api/studies/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A released study's figures
         * @description The data of its plots. STUDY_STATE before the study is released.
         */
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
                        "application/json": components["schemas"]["StudyResult"];
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
    "/api/studies/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resumes a failed study
         * @description Continues at the failed stage, as a new attempt with new keys and noise.
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
                        "application/json": components["schemas"]["Study"];
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
        /** @description The federation at this moment. */
        Console: {
            /** Format: date-time */
            now: string;
            software: string;
            sites: components["schemas"]["ConsoleSite"][];
            running: components["schemas"]["RunningStudy"][];
            /** @description The newest that have ended. */
            ended: components["schemas"]["StudySummary"][];
        };
        ConsoleSite: {
            id: string;
            presence: components["schemas"]["SitePresence"];
            /** @description Null: never. */
            lastSeenAt: string | null;
            /** @description The agent's version, as it said last. */
            software: string | null;
            /** @description How far the site's clock is before the aggregator's. */
            clockSkewMs: number | null;
            certificateExpiresAt: string | null;
            /** @description Of the key with which the site signs; null before it has enrolled. */
            signingKeyFingerprint: string | null;
            /** @description Since when this key is in force. */
            keySince: string | null;
            /** @description The key that this one replaced, and when; null where it replaced none. */
            keyReplaced: {
                signingKeyFingerprint: string;
                /** Format: date-time */
                at: string;
            } | null;
            /** @description Names of the tables that the site offers. */
            tables: string[];
            /** @description At this moment, in each study. */
            doing: {
                study: string;
                step: string;
                state: components["schemas"]["SiteStepState"];
            }[];
            /** @description Null once the site is in. */
            turnedAway: {
                code: string;
                message: string;
                /** Format: date-time */
                at: string;
            } | null;
            /** @description The site's former key, where somebody still tries to connect with it; null where nobody does. If the hospital did not enrol again itself, its identity was taken. */
            displacedKey: {
                signingKeyFingerprint: string;
                /** @description Address of the newest attempt. */
                from: string;
                /** @description Since `firstAt`. */
                attempts: number;
                /**
                 * Format: date-time
                 * @description Since the aggregator was started.
                 */
                firstAt: string;
                /** Format: date-time */
                lastAt: string;
            } | null;
            /** @description Until when its newest unused invitation holds; null where there is none. */
            invitedUntil: string | null;
        };
        Disclosure: {
            what: string;
            /** @enum {string} */
            form: "masked sum" | "rows in the clear" | "tag counts";
            learns: string;
            mechanism: string;
            normBound: number | null;
            sensitivity: number | null;
            cost: {
                epsilon: number;
                delta: number;
            } | null;
            event: components["schemas"]["PrivacyEvent"];
        };
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
        Federation: {
            /** @description The federation's name. */
            federation: string;
            /** @description SHA-256 of the root certificate, hexadecimal. */
            rootFingerprint: string;
            /** @description The aggregator's version. */
            software: string;
            /** @description `host:port` that sites dial. */
            grpcAddress: string;
            /** @description Address of the catalogue; null without a publisher. */
            publisher: string | null;
            /** @description The list of expelled sites that is in force; null without one. */
            expelledList: {
                /** @description Grows by one with every list. */
                number: number;
                /** @description How many keys it names. */
                sites: number;
                /** @description By when the authority is to sign it again: sites take part in no new study after that. Null of a list without dates. */
                nextUpdate: string | null;
            } | null;
        };
        Invitation: {
            site: string;
            /** @description Enrols the site once; shown this once. */
            token: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Fingerprint of the enrolled key that the token may replace; null: none. */
            replacesKey: string | null;
        };
        InvitationListEntry: {
            /** @description The start of the token's hash. */
            id: string;
            site: string;
            /**
             * @description `open`: its token can still be used. `withdrawn`: by an operator, or because a newer one replaced it.
             * @enum {string}
             */
            state: "open" | "used" | "expired" | "withdrawn";
            /** Format: date-time */
            expiresAt: string;
            usedAt: string | null;
            /** @description Fingerprint of the enrolled key that the token may replace; null: none. */
            replacesKey: string | null;
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
        Plan: {
            name: string;
            hash: string;
            claim: components["schemas"]["PrivacyClaim"];
            /** @description What somebody should know before the study starts. */
            warnings: string[];
            /** @description What each site sends in all stages together. */
            uploadBytesPerSite: number;
            /** @description For some numbers of sites on the roster, how many of them must stay to the end of every sum. */
            thresholds: {
                sites: number;
                threshold: number;
            }[];
            stages: {
                id: string;
                kind: string;
                length: number | null;
                uploadBytes: number;
                disclosure: components["schemas"]["Disclosure"];
            }[];
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
        /** @description A release by one mechanism, or several composed: core/src/privacy/events.ts. */
        PrivacyEvent: {
            kind: string;
        };
        RunningStudy: {
            id: string;
            /** @description The study file's `name`. */
            name: string;
            analysis: string;
            method: string;
            variant: string;
            status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            createdAt: string;
            /** @description Null while the study runs. */
            endedAt: string | null;
            /** @description What the study waits for without a deadline, such as room on a disk (DISK_FULL); it continues by itself. Null otherwise. */
            waiting: components["schemas"]["Failure"] | null;
            /** @description Sites on the roster; before it is fixed, sites that were invited. */
            sites: number;
            /** @description Address of the release; null unless the study is released. */
            releaseUrl: string | null;
            minimumSites: number;
            /** @description Sites that were invited, or are on the roster once it is fixed. */
            participants: string[];
            /** @description Of these, how many are connected now. */
            online: number;
            /** @description The open step; null between steps. */
            step: string | null;
            /** @description Sites whose part of the open step is missing. */
            waitingFor: string[];
            /** @description The open step's deadline. */
            deadlineAt: string | null;
            stepsDone: number;
            steps: number;
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
        ShownFigure: {
            /** @constant */
            kind: "bars";
            name: string;
            title: string;
            valueLabel: string;
            /** @description A second axis, of e to the power of the values: what it is called. */
            exponential?: {
                label: string;
            };
            bars: {
                label: string;
                value: number;
                low: number | null;
                high: number | null;
            }[];
        } | {
            /** @constant */
            kind: "curves";
            name: string;
            title: string;
            xLabel: string;
            yLabel: string;
            /** @description A second axis, of e to the power of the values: what it is called. */
            exponential?: {
                label: string;
            };
            series: {
                label: string;
                /**
                 * @description `band`: a line, with the area from `low` to `high` around it.
                 * @enum {string}
                 */
                style: "line" | "points" | "line-points" | "reference" | "band";
                points: {
                    x: number;
                    y: number;
                    low: number | null;
                    high: number | null;
                }[];
            }[];
        } | {
            /** @constant */
            kind: "tree";
            name: string;
            title: string;
            /** @description The root first. */
            nodes: ({
                /** @constant */
                kind: "question";
                column: string;
                /** @description Of a row's value in that column, such as `< 16.2`, `is male` or `is one of a, b`: anyone who meets it goes to `yes`. */
                condition: string;
                /** @description The weight of the rows that come here. */
                cover: number;
                /** @description Indices into the figure's nodes. */
                yes: number;
                no: number;
            } | {
                /** @constant */
                kind: "leaf";
                /** @description The class that the leaf leans to, or `not` and the one that it speaks against. */
                leansTo: string;
                /** @description What a row that ends here adds to each output of the model. */
                values: number[];
                cover: number;
            })[];
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
        Site: {
            id: string;
            presence: components["schemas"]["SitePresence"];
            /** @description Null: never. */
            lastSeenAt: string | null;
            /** @description The agent's version, as it said last. */
            software: string | null;
            /** @description How far the site's clock is before the aggregator's. */
            clockSkewMs: number | null;
            certificateExpiresAt: string | null;
            /** @description Of the key with which the site signs; null before it has enrolled. */
            signingKeyFingerprint: string | null;
            /** @description Since when this key is in force. */
            keySince: string | null;
            /** @description The key that this one replaced, and when; null where it replaced none. */
            keyReplaced: {
                signingKeyFingerprint: string;
                /** Format: date-time */
                at: string;
            } | null;
            /** @description Names of the tables that the site offers. */
            tables: string[];
        };
        /**
         * @description `slow`: connected, but its last heartbeat is overdue. `gone`: was connected. `invited`: never enrolled yet.
         * @enum {string}
         */
        SitePresence: "online" | "slow" | "gone" | "invited" | "expelled";
        /**
         * @description What one site is doing in the open step. `awaiting approval`: its policy allows the study, and a person there has yet to decide. `dropped`: the step continued without the site.
         * @enum {string}
         */
        SiteStepState: "invited" | "awaiting approval" | "accepted" | "refused" | "working" | "uploading" | "done" | "failed" | "dropped" | "left out";
        Step: {
            id: string;
            kind: components["schemas"]["StepKind"];
            /** @description The stage of the plan that the step belongs to; null where it is no part of one. */
            stage: string | null;
            /** @description From 1; the newest. */
            attempt: number;
            /** @description Sites that this attempt continued without, from this step on. */
            dropped: string[];
            /** @enum {string} */
            status: "waiting" | "open" | "done";
            seconds: number | null;
            /** @description Bytes of each site's complete upload, by site; empty for steps without uploads. */
            received: {
                [key: string]: number;
            };
        };
        /**
         * @description `keys` to `unmask` are the phases of a secure sum; `sum` is that of the masked vectors.
         * @enum {string}
         */
        StepKind: "join" | "exchange" | "keys" | "shares" | "sum" | "survivors" | "unmask" | "rows" | "tags" | "countersign" | "compute" | "deposit";
        Study: {
            id: string;
            /** @description The study file's `name`. */
            name: string;
            analysis: string;
            method: string;
            variant: string;
            status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            createdAt: string;
            /** @description Null while the study runs. */
            endedAt: string | null;
            /** @description What the study waits for without a deadline, such as room on a disk (DISK_FULL); it continues by itself. Null otherwise. */
            waiting: components["schemas"]["Failure"] | null;
            /** @description Sites on the roster; before it is fixed, sites that were invited. */
            sites: number;
            /** @description Address of the release; null unless the study is released. */
            releaseUrl: string | null;
            /** @description SHA-256 of the canonical study: every message of the study is bound to it. */
            hash: string;
            /** @description The study, canonical JSON. */
            study: unknown;
            steps: components["schemas"]["Step"][];
            /** @description The open step's deadline; null when nothing is waited for. */
            deadlineAt: string | null;
            /** @description What happens at the deadline, in words. */
            atDeadline: string | null;
            siteStates: components["schemas"]["StudySite"][];
            /** @description What is proved of the study's privacy. */
            claim: components["schemas"]["PrivacyClaim"];
            /** @description Since the study began, or from then to its end. */
            seconds: number;
            /** @description Rows of the release; null before there is one. */
            rows: number | null;
            /** @description Why the study failed. */
            failure: components["schemas"]["Failure"] | null;
            release: {
                id: string;
                url: string;
            } | null;
        };
        /** @description A study's file, read but not started: what is wrong with it, or what it would do and cost. */
        StudyCheck: {
            issues: {
                path: string;
                message: string;
            }[];
            plan: components["schemas"]["Plan"] | null;
            /** @description Sites that would be asked, and how many of them are connected now. */
            sites: {
                asked: string[];
                online: number;
            };
            /** @description What keeps the study from being started now; null where nothing does. */
            obstacle: string | null;
        };
        StudyResult: {
            /** @description What its rows are; empty for a release without rows. */
            columns: {
                name: string;
                description: string;
            }[];
            rows: number;
            figures: components["schemas"]["ShownFigure"][];
            card: {
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
            } | null;
            notes: string[];
        };
        StudySite: {
            site: string;
            presence: components["schemas"]["SitePresence"];
            state: components["schemas"]["SiteStepState"];
            /** @description Since when the site works on the open step, by the aggregator's clock. How far it is it does not say: that would tell how many rows it has. */
            workingSince: string | null;
            /** @description Of the open step's upload. */
            receivedBytes: number;
            expectedBytes: number;
            /** @description Why the site refused or failed: a code, never a detail of its data. */
            code: components["schemas"]["ErrorCode"] | null;
        };
        /** @enum {string} */
        StudyStatus: "inviting" | "running" | "publishing" | "released" | "failed" | "cancelled";
        StudySummary: {
            id: string;
            /** @description The study file's `name`. */
            name: string;
            analysis: string;
            method: string;
            variant: string;
            status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            createdAt: string;
            /** @description Null while the study runs. */
            endedAt: string | null;
            /** @description What the study waits for without a deadline, such as room on a disk (DISK_FULL); it continues by itself. Null otherwise. */
            waiting: components["schemas"]["Failure"] | null;
            /** @description Sites on the roster; before it is fixed, sites that were invited. */
            sites: number;
            /** @description Address of the release; null unless the study is released. */
            releaseUrl: string | null;
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
