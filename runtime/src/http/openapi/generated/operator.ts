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
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The federation and its studies, at every change */
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
        /** Invites a site: a token that enrols it once */
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
        /** Takes back an unused invitation */
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
    "/api/revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a signed list of expelled sites */
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
    "/api/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The sites, as they stand */
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
        /** Starts a study */
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
        /** Every fault of a study, or what it does and costs */
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
        /** What a study would do and cost; nothing runs */
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
        /** Cancels a study */
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
        /** A study whenever it changes, until it has ended */
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
        /** A released study's figures */
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
        /** Goes on with a study that failed */
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
        Console: {
            /** Format: date-time */
            now: string;
            software: string;
            sites: components["schemas"]["ConsoleSite"][];
            running: components["schemas"]["RunningStudy"][];
            ended: components["schemas"]["StudySummary"][];
        };
        ConsoleSite: {
            id: string;
            presence: components["schemas"]["SitePresence"];
            lastSeenAt: string | null;
            software: string | null;
            clockSkewMs: number | null;
            certificateExpiresAt: string | null;
            signingKeyFingerprint: string | null;
            tables: string[];
            doing: {
                study: string;
                step: string;
                state: components["schemas"]["SiteStepState"];
            }[];
            turnedAway: {
                code: string;
                message: string;
                /** Format: date-time */
                at: string;
            } | null;
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
        ErrorCode: "USAGE" | "INTERRUPTED" | "CONFIG_INVALID" | "STATE_MISSING" | "STATE_LOCKED" | "STORE_LOST" | "BACKUP_INVALID" | "PORT_IN_USE" | "UNREACHABLE" | "PROXY_FAILED" | "TLS_INTERCEPTED" | "STUDY_INVALID" | "STUDY_UNKNOWN" | "STUDY_STATE" | "TABLE_UNKNOWN" | "TABLE_UNREADABLE" | "TABLE_CHANGED" | "TABLE_EMPTY" | "COLUMN_MISSING" | "COLUMN_AMBIGUOUS" | "COLUMN_TYPE" | "VALUE_NOT_FINITE" | "VALUE_MISSING" | "LEVEL_UNDECLARED" | "ROWS_TOO_FEW" | "ROWS_TOO_MANY" | "COLUMN_CONSTANT" | "POLICY_INVALID" | "POLICY_CHANGED" | "POLICY_UNWRITABLE" | "POLICY_ANALYSIS" | "POLICY_NO_PRIVACY" | "POLICY_VARIANT" | "POLICY_COLUMN" | "POLICY_EPSILON" | "POLICY_DELTA" | "POLICY_SITES" | "POLICY_COLLUDING" | "POLICY_ROWS" | "REFUSED_BY_SITE" | "APPROVAL_LATE" | "PREFLIGHT_FAILED" | "BUDGET_EXHAUSTED" | "LEDGER_BROKEN" | "LEDGER_BEHIND" | "LEDGER_HEAD_INVALID" | "TOKEN_INVALID" | "TOKEN_EXPIRED" | "TOKEN_USED" | "AUTHORITY_MISMATCH" | "CERTIFICATE_MISSING" | "CERTIFICATE_INVALID" | "SITE_EXPELLED" | "REVOCATIONS_INVALID" | "REVOCATIONS_STALE" | "NOT_PERMITTED" | "ADDRESS_UNKNOWN" | "UNAUTHENTICATED" | "SIGN_IN_FAILED" | "SIGN_IN_BUSY" | "CROSS_SITE" | "HOST_UNKNOWN" | "LINK_INVALID" | "ACCOUNT_UNKNOWN" | "ACCOUNT_EXISTS" | "ACCOUNT_LAST" | "API_TOKEN_UNKNOWN" | "OIDC_FAILED" | "PROTOCOL_VERSION" | "FIELD_INVALID" | "MESSAGE_TOO_LARGE" | "RATE_LIMITED" | "MESSAGE_UNEXPECTED" | "UPLOAD_ORDER" | "UPLOAD_TRUNCATED" | "UPLOAD_HASH" | "UPLOAD_CHANGED" | "UPLOAD_LENGTH" | "STUDY_HASH" | "PLAN_DIFFERS" | "ROSTER_INVALID" | "ROSTER_UNPINNED" | "ROSTER_TOO_SMALL" | "BROADCAST_CHANGED" | "BROADCAST_INVALID" | "SEAL_BROKEN" | "COMMITMENT_BROKEN" | "KEYS_INVALID" | "SHARES_INVALID" | "SUM_THRESHOLD" | "TRANSCRIPT_DIFFERS" | "SURVIVORS_INVALID" | "SURVIVORS_CHANGED" | "SUM_REPLAYED" | "UNMASK_FAILED" | "PHASE_DEADLINE" | "SUM_IMPLAUSIBLE" | "STUDY_CANCELLED" | "SITE_FAILED" | "RELEASE_UNKNOWN" | "RELEASE_CORRUPT" | "CERTIFICATE_EPSILON" | "COUNTERSIGNATURE_INVALID" | "STATEMENT_INVALID" | "DEPOSIT_INVALID" | "PUBLISHER_UNREACHABLE" | "INTERNAL";
        Failure: {
            code: components["schemas"]["ErrorCode"];
            /** @description what, where and the numbers */
            message: string;
            /** @description what to do about it */
            remedy: string;
        };
        Federation: {
            federation: string;
            rootFingerprint: string;
            software: string;
            grpcAddress: string;
            publisher: string | null;
        };
        Invitation: {
            site: string;
            token: string;
            /** Format: date-time */
            expiresAt: string;
        };
        InvitationListEntry: {
            id: string;
            site: string;
            /** @enum {string} */
            state: "open" | "used" | "expired";
            /** Format: date-time */
            expiresAt: string;
            usedAt: string | null;
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
        OneTimeLink: {
            name: string | null;
            /** @enum {string} */
            role: "operator" | "viewer" | "administrator" | "approver";
            /** Format: date-time */
            expiresAt: string;
            url: string;
        };
        Plan: {
            name: string;
            hash: string;
            claim: components["schemas"]["PrivacyClaim"];
            warnings: string[];
            uploadBytesPerSite: number;
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
            neighbouringRelation: string;
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
            name: string;
            analysis: string;
            method: string;
            variant: string;
            status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            sites: number;
            releaseUrl: string | null;
            minimumSites: number;
            participants: string[];
            online: number;
            step: string | null;
            waitingFor: string[];
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
        ShownFigure: {
            /** @constant */
            kind: "bars";
            name: string;
            title: string;
            valueLabel: string;
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
            series: {
                label: string;
                /** @enum {string} */
                style: "line" | "points" | "line-points" | "reference";
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
            nodes: ({
                /** @constant */
                kind: "question";
                column: string;
                condition: string;
                cover: number;
                yes: number;
                no: number;
            } | {
                /** @constant */
                kind: "leaf";
                leansTo: string;
                values: number[];
                cover: number;
            })[];
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
        Site: {
            id: string;
            presence: components["schemas"]["SitePresence"];
            lastSeenAt: string | null;
            software: string | null;
            clockSkewMs: number | null;
            certificateExpiresAt: string | null;
            signingKeyFingerprint: string | null;
            tables: string[];
        };
        /** @enum {string} */
        SitePresence: "online" | "slow" | "gone" | "invited" | "expelled";
        /** @enum {string} */
        SiteStepState: "invited" | "awaiting approval" | "accepted" | "refused" | "working" | "uploading" | "done" | "failed" | "dropped" | "left out";
        Step: {
            id: string;
            kind: components["schemas"]["StepKind"];
            stage: string | null;
            attempt: number;
            dropped: string[];
            /** @enum {string} */
            status: "waiting" | "open" | "done";
            seconds: number | null;
            received: {
                [key: string]: number;
            };
        };
        /** @enum {string} */
        StepKind: "join" | "exchange" | "keys" | "shares" | "sum" | "survivors" | "unmask" | "rows" | "tags" | "countersign" | "compute" | "deposit";
        Study: {
            id: string;
            name: string;
            analysis: string;
            method: string;
            variant: string;
            status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            sites: number;
            releaseUrl: string | null;
            hash: string;
            study: unknown;
            steps: components["schemas"]["Step"][];
            deadlineAt: string | null;
            atDeadline: string | null;
            siteStates: components["schemas"]["StudySite"][];
            claim: components["schemas"]["PrivacyClaim"];
            seconds: number;
            rows: number | null;
            failure: components["schemas"]["Failure"] | null;
            release: {
                id: string;
                url: string;
            } | null;
        };
        StudyCheck: {
            issues: {
                path: string;
                message: string;
            }[];
            plan: components["schemas"]["Plan"] | null;
            sites: {
                asked: string[];
                online: number;
            };
            obstacle: string | null;
        };
        StudyResult: {
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
            fraction: number;
            receivedBytes: number;
            expectedBytes: number;
            code: components["schemas"]["ErrorCode"] | null;
        };
        /** @enum {string} */
        StudyStatus: "inviting" | "running" | "publishing" | "released" | "failed" | "cancelled";
        StudySummary: {
            id: string;
            name: string;
            analysis: string;
            method: string;
            variant: string;
            status: components["schemas"]["StudyStatus"];
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            sites: number;
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
