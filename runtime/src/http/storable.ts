import { nameOf } from "@consilium/core/said";
import { isStorableText } from "@consilium/core/text";
import type { FastifyInstance } from "fastify";
import { fault } from "../fault.js";

/**
 * Refuses, before a route's own schema, whatever holds text that a store could not keep: on every route and here alone,
 * so that no handler meets it. An address that no route has is answered as such.
 */
export function refuseUnstorableText(server: FastifyInstance): void {
  server.addHook("preValidation", async ({ body, params, query, is404 }) => {
    if (is404) return;
    for (const [name, part] of Object.entries({ path: params, query, body })) {
      if (isStorable(part)) continue;
      throw fault("FIELD_INVALID", "http.not-storable", { part: nameOf(name) }, "http.correct");
    }
  });
}

/** Without recursion: a body may be nested as deep as it is long. */
function isStorable(part: unknown): boolean {
  const waiting: unknown[] = [part];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") {
      if (!isStorableText(value)) return false;
    } else if (Array.isArray(value)) {
      for (const each of value) waiting.push(each);
    } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
      for (const [key, each] of Object.entries(value)) waiting.push(key, each);
    }
  }
  return true;
}
