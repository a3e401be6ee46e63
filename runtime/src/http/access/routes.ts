import {
  accountBody,
  accountSchema,
  apiTokenSchema,
  madeTokenSchema,
  oneTimeLinkSchema,
  passwordBody,
  roleBody,
  type SessionView,
  type SignInMethods,
  sessionSchema,
  setupBody,
  setupLinkBody,
  setupLinkSchema,
  signedOutSchema,
  signInBody,
  tokenBody,
} from "@consilium/core/access/views";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { fault } from "../../fault.js";
import type { HttpServer } from "../server.js";
import type { Accounts, SignedIn } from "./accounts.js";
import type { ApiTokens } from "./apiTokens.js";
import { clearSessionCookie, type Gate, requireCsrf, setSessionCookies } from "./gate.js";
import { type OriginRules, requireOwnPageWithCookie } from "./origin.js";
import { bearerOf } from "./secrets.js";
import type { OpenSession, Sessions } from "./sessions.js";

interface SessionRoutesContext {
  readonly gate: Gate;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly rules: OriginRules;
  readonly methods: SignInMethods;
  /** The role that anyone who has an account here has at least. */
  readonly least: "viewer" | "approver";
}

const nothing = z.void();
const byName = z.object({ name: z.string().max(64) });
const byId = z.object({ id: z.string().max(64) });

/** Signing in and out, and the one-time links. Sign-in itself is for everybody, and so limited by `Attempts`. */
export function routeSession(server: HttpServer, context: SessionRoutesContext): void {
  const { gate, accounts, sessions, rules, methods } = context;
  const open = { role: "public" } as const;
  const begin = (request: FastifyRequest, reply: FastifyReply, signedIn: SignedIn): SessionView => {
    // A session that the browser had before ends: its cookie is gone with this.
    const former = gate.sessionOf(request);
    if (former !== null && former.hash !== signedIn.session.hash) sessions.end(former.hash, reply.raw);
    setSessionCookies(request, reply, rules, signedIn);
    return sessionView(context, signedIn.session);
  };
  const from = (request: FastifyRequest) => ({ address: request.ip, device: gate.deviceOf(request) });

  server.get(
    "/api/session",
    {
      config: open,
      schema: {
        summary: "Returns the current session",
        description: "Always answers 200: `account` is null when not signed in.",
        response: { 200: z.union([sessionSchema, signedOutSchema]) },
      },
    },
    async (request, reply) => {
      void reply.header("cache-control", "no-store");
      const session = gate.sessionOf(request);
      if (session?.account != null && accounts.get(session.account) !== null) {
        requireOwnPageWithCookie(request, rules);
        return sessionView(context, session);
      }
      return { account: null, setup: accounts.isEmpty, methods };
    },
  );
  server.post(
    "/api/session",
    {
      config: open,
      schema: {
        summary: "Sign in",
        description:
          "Sets the session cookie. Send the response's `csrf` with every change, in the header `x-consilium-csrf`.",
        body: signInBody,
        response: { 200: sessionSchema },
      },
    },
    async (request, reply) => begin(request, reply, await accounts.signIn(request.body, from(request))),
  );
  routeSignOut(server, { sessionOf: (request) => gate.sessionOf(request), sessions, rules });
  server.post(
    "/api/session/password",
    {
      config: { role: context.least, does: false },
      schema: {
        summary: "Change the password; ends the account's other sessions",
        body: passwordBody,
        response: { 200: sessionSchema },
      },
    },
    async (request, reply) => {
      const session = gate.sessionOf(request);
      if (session?.account == null || bearerOf(request.headers.authorization) !== undefined) {
        throw fault("NOT_PERMITTED", "access.no-password", {}, "access.use-password");
      }
      return begin(
        request,
        reply,
        await accounts.changePassword(session.account, request.body, from(request), reply.raw),
      );
    },
  );
  server.post(
    "/api/setup/link",
    {
      config: open,
      schema: {
        summary: "Returns the account of a one-time link",
        body: setupLinkBody,
        response: { 200: setupLinkSchema },
      },
    },
    async (request) => accounts.showLink(request.body.secret),
  );
  server.post(
    "/api/setup",
    {
      config: open,
      schema: {
        summary: "Use a one-time link",
        description:
          "Creates the account, or sets its password, and signs in. The secret is the part of the link after `#`.",
        body: setupBody,
        response: { 201: sessionSchema },
      },
    },
    async (request, reply) => {
      const signedIn = await accounts.useLink(request.body);
      return reply.code(201).send(begin(request, reply, signedIn));
    },
  );
}

/** `DELETE /api/session`: the same for anyone who has a session of any kind. */
export function routeSignOut(
  server: HttpServer,
  context: {
    readonly sessionOf: (request: FastifyRequest) => OpenSession | null;
    readonly sessions: Sessions;
    readonly rules: OriginRules;
  },
): void {
  const { sessionOf, sessions, rules } = context;
  server.delete(
    "/api/session",
    { config: { role: "public" }, schema: { summary: "Sign out", response: { 204: nothing } } },
    async (request, reply) => {
      const session = sessionOf(request);
      if (session !== null) {
        requireOwnPageWithCookie(request, rules);
        requireCsrf(request, session);
        sessions.end(session.hash, reply.raw);
      }
      clearSessionCookie(request, reply, rules);
      return reply.code(204).send();
    },
  );
}

function sessionView({ accounts, methods }: SessionRoutesContext, session: OpenSession): SessionView {
  const account = accounts.get(session.account!)!;
  return {
    account: { name: account.name, role: account.role },
    csrf: session.csrf,
    methods,
    endsAt: new Date(session.endsAt).toISOString(),
    hasPassword: account.password !== null,
  };
}

interface AccountRoutesContext {
  readonly accounts: Accounts;
  readonly tokens: ApiTokens;
  readonly sessions: Sessions;
  /** The required role: the one with full access. */
  readonly all: "operator" | "administrator";
}

/** Accounts and tokens, for the role with full access. */
export function routeAccounts(server: HttpServer, context: AccountRoutesContext): void {
  const { accounts, tokens, sessions } = context;
  // What is done here is in the audit log already, with what it was done to.
  const config = { role: context.all, does: false } as const;
  const actor = (request: FastifyRequest) => request.caller!.name;

  server.get(
    "/api/accounts",
    { config, schema: { summary: "Accounts", response: { 200: z.array(accountSchema) } } },
    async () => accounts.list(),
  );
  server.post(
    "/api/accounts",
    {
      config,
      schema: {
        summary: "Add an account; its user sets the password with the one-time link",
        body: accountBody,
        response: { 201: oneTimeLinkSchema },
      },
    },
    async (request, reply) =>
      reply.code(201).send(accounts.add(request.body.name, request.body.role, actor(request))),
  );
  server.post(
    "/api/accounts/:name/link",
    {
      config,
      schema: {
        summary: "Create a one-time link to set an account's password",
        params: byName,
        response: { 200: oneTimeLinkSchema },
      },
    },
    async (request) => accounts.linkFor(request.params.name, actor(request)),
  );
  server.post(
    "/api/accounts/:name/role",
    {
      config,
      schema: {
        summary: "Change an account's role",
        params: byName,
        body: roleBody,
        response: { 200: accountSchema },
      },
    },
    async (request) => accounts.setRole(request.params.name, request.body.role, actor(request)),
  );
  server.delete(
    "/api/accounts/:name",
    {
      config,
      schema: {
        summary: "Remove an account and end its sessions",
        params: byName,
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      accounts.remove(request.params.name, actor(request), reply.raw);
      return reply.code(204).send();
    },
  );
  server.post(
    "/api/links",
    {
      config,
      schema: {
        summary: "Create a one-time link to create an account",
        body: roleBody,
        response: { 200: oneTimeLinkSchema },
      },
    },
    async (request) => accounts.openLink(request.body.role, actor(request)),
  );
  server.get(
    "/api/tokens",
    { config, schema: { summary: "Tokens of programs", response: { 200: z.array(apiTokenSchema) } } },
    async () => tokens.list(),
  );
  server.post(
    "/api/tokens",
    {
      config,
      schema: {
        summary: "Create a token; it is only returned here",
        body: tokenBody,
        response: { 201: madeTokenSchema },
      },
    },
    async (request, reply) => reply.code(201).send(tokens.add(request.body, actor(request))),
  );
  server.delete(
    "/api/tokens/:id",
    {
      config,
      schema: { summary: "Revoke a token", params: byId, response: { 204: nothing } },
    },
    async (request, reply) => {
      sessions.closeAnswers(tokens.revoke(request.params.id, actor(request)), reply.raw);
      return reply.code(204).send();
    },
  );
}
