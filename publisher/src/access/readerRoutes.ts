import {
  readerSignInBody,
  type SessionView,
  sessionSchema,
  signedOutSchema,
} from "@consilium/core/access/views";
import { ConsiliumError } from "@consilium/core/errors";
import { setSessionCookies } from "@consilium/runtime/http/access/gate";
import { routeOidc } from "@consilium/runtime/http/access/oidcRoutes";
import { guardOrigin } from "@consilium/runtime/http/access/origin";
import { routeSignOut } from "@consilium/runtime/http/access/routes";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Holder, Reader, Readers } from "./readers.js";

/** How a reader's browser begins and ends a session, before any other route. */
export function routeReaders(server: HttpServer, readers: Readers): void {
  const { sessions, rules, oidc, settings } = readers;
  const methods = { password: false, token: true, oidc: settings ? { label: settings.label } : null };
  const config = { role: "public" } as const;
  const begin = (request: FastifyRequest, reply: FastifyReply, holder: Holder) => {
    const former = readers.sessionOf(request);
    const opened = sessions.open({ holder: JSON.stringify(holder) });
    if (former !== null) sessions.end(former.hash, reply.raw);
    setSessionCookies(request, reply, rules, { secret: opened.secret, device: null });
    return opened.session;
  };
  const view = ({ name, session }: Omit<Reader, "opens">): SessionView => ({
    account: { name, role: "analyst" },
    csrf: session.csrf,
    methods,
    endsAt: new Date(session.endsAt).toISOString(),
    hasPassword: false,
  });

  guardOrigin(server, rules);
  server.get(
    "/api/session",
    {
      config,
      schema: {
        summary: "Returns the reader's session",
        response: { 200: z.union([sessionSchema, signedOutSchema]) },
      },
    },
    async (request, reply) => {
      void reply.header("cache-control", "no-store");
      const reader = await readers.of(request);
      return reader === null ? { account: null, setup: false, methods } : view(reader);
    },
  );
  server.post(
    "/api/session",
    {
      config,
      schema: {
        summary: "Exchange a reader token for a browser session",
        description: "Programs send the token itself, with every request.",
        body: readerSignInBody,
        response: { 200: sessionSchema },
      },
    },
    async (request, reply) => {
      const holder = await readers.holderOf(request.body.token);
      if (holder === null || holder.kind !== "token") {
        throw new ConsiliumError("SIGN_IN_FAILED", "this token gives access to no release", {
          remedy: "copy the complete token; if it has expired, ask the publisher for another",
        });
      }
      const session = begin(request, reply, holder);
      const [found] = await readers.tokens.ofHash(holder.sha256);
      return view({ name: found?.label || "a reader", session });
    },
  );
  routeSignOut(server, { sessionOf: (request) => readers.sessionOf(request), sessions, rules });
  if (oidc === null) return;
  const named = new Set(settings?.releases.map(({ group }) => group));
  routeOidc(server, {
    oidc,
    rules,
    log: readers.log,
    home: () => `${readers.pagesUrl()}/?reader`,
    letIn: (request, reply, person) => {
      const groups = person.groups.filter((group) => named.has(group));
      if (groups.length === 0) {
        throw new ConsiliumError("NOT_PERMITTED", "none of this user's groups has access to a release");
      }
      begin(request, reply, { kind: "oidc", name: person.name, groups });
      readers.log.info("a reader signed in through the identity provider", { subject: person.subject });
    },
  });
}
