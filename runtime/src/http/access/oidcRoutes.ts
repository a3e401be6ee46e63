import { toConsiliumError } from "@consilium/core/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { fault } from "../../fault.js";
import type { Logger } from "../../log.js";
import type { HttpServer } from "../server.js";
import { clearCookie, cookieName, setCookie } from "./cookies.js";
import { type Oidc, type OidcPerson, oidcLoginMs } from "./oidc.js";
import type { OriginRules } from "./origin.js";
import { cookieOf } from "./secrets.js";

export interface OidcRoutesContext {
  readonly oidc: Oidc;
  readonly rules: OriginRules;
  readonly log: Logger;
  /** Where somebody goes who was let in. */
  readonly home: () => string;
  /**
   * Lets somebody in whom the provider vouches for, with the cookies of a session.
   * @throws ConsiliumError NOT_PERMITTED when none of their groups may come in
   */
  readonly letIn: (request: FastifyRequest, reply: FastifyReply, person: OidcPerson) => void;
}

/** Of the address that a provider sends somebody back to. */
const maxQueryLength = 8_000;
const redirected = z.void();

/**
 * To the identity provider and back. The cookie between them is `SameSite=Lax`, for the way back begins at another
 * site; it ties the answer to the browser that asked, holds nothing that can be read, and works once.
 */
export function routeOidc(server: HttpServer, { oidc, rules, log, home, letIn }: OidcRoutesContext): void {
  const config = { role: "public" } as const;
  server.get(
    "/api/oidc/login",
    {
      config,
      schema: {
        summary: "Go to the identity provider",
        description: "For browsers. ADDRESS_UNKNOWN where none is configured.",
        response: { 302: redirected },
      },
    },
    async (request, reply) => {
      try {
        const { url, sealed } = await oidc.begin();
        setCookie(reply, rules, {
          name: cookieName("oidc", request, rules),
          value: sealed,
          maxAgeMs: oidcLoginMs,
          sameSite: "Lax",
        });
        return reply.header("cache-control", "no-store").redirect(url, 302);
      } catch (thrown) {
        return turnBack(reply, thrown, { home, log });
      }
    },
  );
  server.get(
    "/api/oidc/callback",
    { config, schema: { summary: "Come back from the identity provider", response: { 302: redirected } } },
    async (request, reply) => {
      const name = cookieName("oidc", request, rules);
      const sealed = cookieOf(request.headers.cookie, name);
      clearCookie(reply, rules, name);
      try {
        const query = request.url.split("?")[1] ?? "";
        if (query.length > maxQueryLength) {
          throw fault("OIDC_FAILED", "access.response-too-long", {});
        }
        letIn(request, reply, await oidc.finish(query, sealed));
        return reply.header("cache-control", "no-store").redirect(home(), 302);
      } catch (thrown) {
        return turnBack(reply, thrown, { home, log });
      }
    },
  );
}

/** A person is looking: back to the sign-in page, which says what the code means. */
function turnBack(
  reply: FastifyReply,
  thrown: unknown,
  { home, log }: Pick<OidcRoutesContext, "home" | "log">,
): FastifyReply {
  const error = toConsiliumError(thrown);
  if (error.family === "internal") log.error("the sign-in through the identity provider failed", {}, thrown);
  const page = home().replace(/\?.*$/, "");
  return reply.header("cache-control", "no-store").redirect(`${page}?failure=${error.code}`, 302);
}
