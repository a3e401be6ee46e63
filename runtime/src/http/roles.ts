import type { FastifyRequest } from "fastify";

/**
 * Who may use a route. Aggregator: `operator` (everything) and `viewer` (what changes nothing). Site: `administrator`
 * (everything) and `approver` (what changes nothing, and decisions on studies). `public`: nobody is asked who they are.
 */
export const roles = ["public", "viewer", "operator", "approver", "administrator"] as const;
export type Role = (typeof roles)[number];

/** Who sent a request, once it was judged. */
export interface Caller {
  /** The account's or the token's name, for the log of what was changed. */
  readonly name: string;
  readonly role: Exclude<Role, "public">;
}

/**
 * Judges a request before its body is read.
 * @param role - that the route asks for; never `public`
 * @throws ConsiliumError UNAUTHENTICATED when it is unknown who asks, NOT_PERMITTED when they may not
 */
export type Access = (request: FastifyRequest, role: Exclude<Role, "public">) => Caller | Promise<Caller>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may use the route: a server refuses one that does not say. */
    role?: Role;
  }
  interface FastifyRequest {
    /** Null on a public route. */
    caller: Caller | null;
  }
}

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}
