import type { ConsiliumError } from "@consilium/core/errors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { fault } from "../../fault.js";
import { isLoopbackAddress } from "../../tls/address.js";
import { bearerOf } from "./secrets.js";

/** A server's allowed host names, and the origins that may use its routes. */
export interface OriginRules {
  /** Where browsers reach the server, if a proxy ends their TLS: `https://console.example.org`. */
  readonly publicUrl?: string | undefined;
  /** Whether the server itself speaks TLS. */
  readonly tls?: boolean | undefined;
  /**
   * Names besides the loopback ones that the `Host` header may have, with a port or without (then any). Where this is
   * given, every other name is refused: a page elsewhere whose name was made to lead here (DNS rebinding) is no page
   * of ours. Left out: any name.
   */
  readonly hosts?: readonly string[] | undefined;
}

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);
/**
 * Asked by programs that watch over the process, such as Prometheus or an orchestrator's probes. They ask by the number
 * of its address, which no page can take for its own name as it can a name in DNS.
 */
const watchedRoutes = new Set(["/healthz", "/readyz", "/metrics"]);
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Refuses, before anything else, what was asked by a wrong name or changes something from another origin's page. */
export function guardOrigin(server: FastifyInstance, rules: OriginRules): void {
  server.addHook("onRequest", async (request) => {
    requireHost(request, rules);
    if (!safeMethods.has(request.method) && bearerOf(request.headers.authorization) === undefined) {
      requireOwnPage(request, rules);
    }
  });
}

/**
 * What a page of another origin cannot forge: browsers themselves write these headers.
 * @throws ConsiliumError CROSS_SITE
 */
function requireOwnPage(request: FastifyRequest, rules: OriginRules): void {
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") throw crossSite();
  if (origin !== undefined && !isOwnOrigin(origin, request, rules)) throw crossSite();
}

/**
 * As every request is checked that comes with a cookie: a change must say its origin, and nothing may come from
 * another site's page.
 * @throws ConsiliumError CROSS_SITE
 */
export function requireOwnPageWithCookie(request: FastifyRequest, rules: OriginRules): void {
  requireOwnPage(request, rules);
  if (!safeMethods.has(request.method) && request.headers.origin === undefined) throw crossSite();
}

/** As `requireOwnPageWithCookie`, of a request that changes nothing: another site's page gets what anybody gets. */
export function isOwnPage(request: FastifyRequest, rules: OriginRules): boolean {
  try {
    requireOwnPageWithCookie(request, rules);
    return true;
  } catch {
    return false;
  }
}

export function isChange(request: FastifyRequest): boolean {
  return !safeMethods.has(request.method);
}

function crossSite(): ConsiliumError {
  return fault("CROSS_SITE", "access.cross-origin", {});
}

function isOwnOrigin(origin: string, request: FastifyRequest, { publicUrl, tls }: OriginRules): boolean {
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true;
  // The Host header was checked before, where names are listed at all.
  return origin === `${tls === true ? "https" : "http"}://${request.headers.host ?? ""}`.toLowerCase();
}

/** Whether an address stays on this machine. */
export function isLoopbackUrl(text: string): boolean {
  const { hostname } = new URL(text);
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function requireHost(request: FastifyRequest, { hosts, publicUrl, tls }: OriginRules): void {
  if (hosts === undefined) return;
  const host = (request.headers.host ?? "").toLowerCase();
  const { localAddress = "", localPort: port } = request.socket;
  const names = [...loopbackNames];
  const usual = tls === true ? 443 : 80;
  if (isLoopbackAddress(localAddress) || watchedRoutes.has(request.routeOptions.url ?? "")) {
    names.push(numericName(localAddress));
  }
  const own = names.flatMap((name) => (port === usual ? [name, `${name}:${port}`] : [`${name}:${port}`]));
  if (publicUrl !== undefined) own.push(new URL(publicUrl).host);
  const named = (name: string) => host === name || host.replace(/:\d{1,5}$/, "") === name;
  if (own.includes(host) || hosts.some((name) => named(name.toLowerCase()))) return;
  throw fault("HOST_UNKNOWN", "access.host", {});
}

/** An address as it stands in a URL; that of an IPv4 connection to an IPv6 socket as IPv4. */
function numericName(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  return plain.includes(":") ? `[${plain}]` : plain;
}
