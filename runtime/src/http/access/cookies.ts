import type { FastifyReply, FastifyRequest } from "fastify";
import type { OriginRules } from "./origin.js";

/**
 * Cookies know no ports, so without TLS the name says it: several services of one machine, as in a trial, would
 * otherwise sign each other's people out. With TLS the prefix `__Host-` ties the cookie to this very name. The name has
 * no port where a proxy ends the TLS: the browser does not see ours.
 */
export function cookieName(
  what: "session" | "device" | "oidc",
  request: FastifyRequest,
  rules: OriginRules,
): string {
  const withPort = `consilium-${what}-${request.socket.localPort ?? 0}`;
  if (!isSecure(rules)) return withPort;
  return `__Host-${rules.tls === true ? withPort : `consilium-${what}`}`;
}

/** A cookie that no script reads. */
export function setCookie(
  reply: FastifyReply,
  rules: OriginRules,
  cookie: {
    readonly name: string;
    readonly value: string;
    readonly maxAgeMs: number;
    readonly sameSite: "Strict" | "Lax";
  },
): void {
  const secure = isSecure(rules) ? "; Secure" : "";
  const maxAgeS = Math.floor(cookie.maxAgeMs / 1000);
  void reply.header(
    "set-cookie",
    `${cookie.name}=${cookie.value}; Max-Age=${maxAgeS}; Path=/; HttpOnly; SameSite=${cookie.sameSite}${secure}`,
  );
}

export function clearCookie(reply: FastifyReply, rules: OriginRules, name: string): void {
  setCookie(reply, rules, { name, value: "", maxAgeMs: 0, sameSite: "Strict" });
}

function isSecure({ publicUrl, tls }: OriginRules): boolean {
  return tls === true || publicUrl?.startsWith("https://") === true;
}
