import { deputyBody, deputySchema } from "@consilium/core/hospital/deputyViews";
import type { HttpServer } from "@consilium/runtime/http/server";
import { z } from "zod";
import { type Deputies, notTheirs } from "./deputies.js";
import { nameOf } from "./studyRoutes.js";

const approver = { role: "approver" } as const;
/** The audit log has it with what it was done to. */
const naming = { role: "approver", does: false } as const;

/** Who may approve in whose place. */
export function routeDeputies(server: HttpServer, deputies: Deputies): void {
  server.get(
    "/api/deputies",
    { config: approver, schema: { summary: "Deputies", response: { 200: z.array(deputySchema) } } },
    async () => deputies.list(),
  );
  server.post(
    "/api/deputies",
    {
      config: naming,
      schema: {
        summary: "Names a deputy for a period",
        description: "Approvers name their own deputies; administrators anybody's.",
        body: deputyBody,
        response: { 201: deputySchema },
      },
    },
    async ({ body: { principal, ...given }, caller }, reply) => {
      const actor = nameOf(caller);
      if (caller?.role !== "administrator" && (principal ?? actor) !== actor) throw notTheirs();
      return reply.code(201).send(deputies.name({ ...given, principal: principal ?? actor }, actor));
    },
  );
  server.delete(
    "/api/deputies/:id",
    {
      config: naming,
      schema: {
        summary: "Removes a deputy",
        params: z.object({ id: z.string() }),
        response: { 204: z.undefined() },
      },
    },
    async ({ params: { id }, caller }, reply) => {
      deputies.remove(id, nameOf(caller), caller?.role !== "administrator");
      return reply.code(204).send();
    },
  );
}
