import { createHash, timingSafeEqual } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import type { Caller } from "@consilium/runtime/http/roles";
import type { FastifyRequest } from "fastify";

const operator: Caller = { name: "operator-token", role: "operator" };

/** Whether a request carries the token whose SHA-256 is given. */
export function hasToken(tokenHash: Uint8Array, request: FastifyRequest): boolean {
  const header = request.headers.authorization ?? "";
  const token = /^Bearer ([\x21-\x7e]{1,512})$/.exec(header)?.[1] ?? "";
  const hash = createHash("sha256").update(token).digest();
  return timingSafeEqual(hash, tokenHash);
}

/** @throws ConsiliumError UNAUTHENTICATED */
export function requireToken(tokenHash: Uint8Array, request: FastifyRequest): Caller {
  if (hasToken(tokenHash, request)) return operator;
  throw new ConsiliumError("UNAUTHENTICATED", "the request carries no valid operator token");
}
