import type { AccountRole } from "@consilium/core/access/views";
import { nameOf } from "@consilium/core/said";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fault } from "../../fault.js";
import type { Caller, Role } from "../roles.js";
import { type AccessEvent, type Accounts, deviceLifetimeMs } from "./accounts.js";
import type { ApiTokens } from "./apiTokens.js";
import { clearCookie, cookieName, setCookie } from "./cookies.js";
import { guardOrigin, isChange, type OriginRules, requireOwnPageWithCookie } from "./origin.js";
import { bearerOf, cookieOf, equalText, secretHash } from "./secrets.js";
import { type OpenSession, type Sessions, sessionLifetimeMs } from "./sessions.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * What the audit log says of a successful change by this route; `false` where it says it itself. Left out, a change by
     * a route that needs the role of everything is there by its address, and one by any other route is taken for none.
     */
    does?: string | false;
  }
  interface FastifyRequest {
    /** What a route adds to the audit log's line of it. */
    trail: TrailDetail | null;
  }
}

interface TrailDetail {
  readonly study?: string;
  readonly site?: string;
  readonly detail?: string;
}

/** A change that was made through a route. */
export interface TrailEvent extends AccessEvent, Omit<TrailDetail, "detail"> {}

/** Whom a request comes from, and by what it is known. */
interface KnownCaller extends Caller {
  /** Hash of the session's or the token's secret: what is under way for it ends with it. */
  readonly hash: string | null;
  readonly session: OpenSession | null;
}

interface GateOptions {
  readonly rules: OriginRules;
  readonly sessions: Sessions;
  readonly accounts: Accounts;
  readonly tokens: ApiTokens;
  /** Hash of a token that may do everything: of the operator's file. */
  readonly rootToken?: { readonly hash: string; readonly name: string } | undefined;
  readonly roles: readonly [AccountRole, ...AccountRole[]];
  /** A change that a route has made. */
  readonly record: (event: TrailEvent) => void;
}

/** Which roles may use a route that asks for one. */
const allowed: Readonly<Record<Exclude<Role, "public">, readonly AccountRole[]>> = {
  operator: ["operator"],
  viewer: ["operator", "viewer"],
  administrator: ["administrator"],
  approver: ["administrator", "approver"],
};

/** Says who sends a request, by a cookie or a token, and whether they may. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Hooks of a server that anybody can reach. */
  guard(server: FastifyInstance): void {
    guardOrigin(server, this.#options.rules);
    this.keepTrail(server);
    server.addHook("preHandler", async (request, reply) => {
      const hash = (request.caller as KnownCaller | null)?.hash ?? null;
      if (hash !== null) this.#options.sessions.holdAnswer(hash, reply.raw);
    });
  }

  /** Writes down who made which change through a server's routes. */
  keepTrail(server: FastifyInstance): void {
    server.decorateRequest("trail", null);
    server.addHook("onSend", async (request, reply) => this.#recordChange(request, reply));
  }

  /**
   * The `Access` of the HTTP platform.
   * @throws ConsiliumError UNAUTHENTICATED, NOT_PERMITTED, CROSS_SITE
   */
  readonly judge = (request: FastifyRequest, role: Exclude<Role, "public">): KnownCaller => {
    const caller = this.callerOf(request);
    if (caller === null) {
      throw fault("UNAUTHENTICATED", "access.unauthenticated", {});
    }
    if (allowed[role].includes(caller.role as AccountRole)) return caller;
    throw fault(
      "NOT_PERMITTED",
      "access.needs-role",
      { role: nameOf(role), own: nameOf(caller.role) },
      { remedy: { code: "access.ask-role", params: { role: nameOf(this.#options.roles[0]) } } },
    );
  };

  /**
   * Null: nobody who is known.
   * @throws ConsiliumError CROSS_SITE when a session's cookie comes with what is not its own page's request
   */
  callerOf(request: FastifyRequest): KnownCaller | null {
    // Another scheme than Bearer is a proxy's own sign-in before ours.
    const bearer = bearerOf(request.headers.authorization);
    if (bearer !== undefined) return this.#callerOfToken(bearer);
    const session = this.sessionOf(request);
    if (session === null) return null;
    const account = session.account === null ? null : this.#options.accounts.get(session.account);
    if (account === null) return null;
    requireOwnPageWithCookie(request, this.#options.rules);
    requireCsrf(request, session);
    return { name: account.name, role: account.role, hash: session.hash, session };
  }

  /** Whether a request may be taken as from somebody known, for limits on strangers. */
  recognises(request: FastifyRequest): boolean {
    try {
      return this.callerOf(request) !== null;
    } catch {
      return false;
    }
  }

  sessionOf(request: FastifyRequest): OpenSession | null {
    return this.#options.sessions.find(
      cookieOf(request.headers.cookie, cookieName("session", request, this.#options.rules)),
    );
  }

  deviceOf(request: FastifyRequest): string | undefined {
    return cookieOf(request.headers.cookie, cookieName("device", request, this.#options.rules));
  }

  #callerOfToken(bearer: string): KnownCaller | null {
    const { rootToken, tokens, roles } = this.#options;
    if (rootToken !== undefined && equalText(secretHash(bearer)!, rootToken.hash)) {
      return { name: rootToken.name, role: roles[0], hash: null, session: null };
    }
    const token = tokens.find(bearer);
    if (token === null) return null;
    return { name: `token:${token.id} (${token.label})`, role: token.role, hash: token.hash, session: null };
  }

  #recordChange(request: FastifyRequest, reply: FastifyReply): void {
    const { does, role } = request.routeOptions.config ?? {};
    if (!isChange(request) || request.caller === null || does === false || reply.statusCode >= 300) return;
    if (does === undefined && role !== this.#options.roles[0]) return;
    const { trail } = request;
    const study = trail?.study ?? studyOfAddress(request);
    this.#options.record({
      actor: request.caller.name,
      kind: does ?? `${request.method} ${request.routeOptions.url ?? ""}`,
      detail: trail?.detail ?? "",
      ...(study !== undefined && { study }),
      ...(trail?.site !== undefined && { site: trail.site }),
    });
  }
}

function studyOfAddress({ routeOptions, params }: FastifyRequest): string | undefined {
  if (routeOptions.url?.startsWith("/api/studies/:id") !== true) return undefined;
  return (params as { readonly id?: string }).id;
}

/** @throws ConsiliumError CROSS_SITE */
export function requireCsrf(request: FastifyRequest, session: OpenSession): void {
  if (!isChange(request)) return;
  const given = request.headers["x-consilium-csrf"];
  if (typeof given === "string" && equalText(given, session.csrf)) return;
  throw fault("CROSS_SITE", "access.csrf", {});
}

/** Gives the browser a session and, where there is one, the mark by which it is known at the account. */
export function setSessionCookies(
  request: FastifyRequest,
  reply: FastifyReply,
  rules: OriginRules,
  given: { readonly secret: string; readonly device: string | null },
): void {
  const strict = { sameSite: "Strict" } as const;
  const session = cookieName("session", request, rules);
  setCookie(reply, rules, { ...strict, name: session, value: given.secret, maxAgeMs: sessionLifetimeMs });
  if (given.device === null) return;
  const device = cookieName("device", request, rules);
  setCookie(reply, rules, { ...strict, name: device, value: given.device, maxAgeMs: deviceLifetimeMs });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, rules: OriginRules): void {
  clearCookie(reply, rules, cookieName("session", request, rules));
}
