import { policyCheckBody, policySaveBody } from "@consilium/core/hospital/bodies";
import {
  policyCheckSchema,
  policySchema,
  policyVersionSchema,
  policyVersionTextSchema,
} from "@consilium/core/hospital/policyViews";
import type { HttpServer } from "@consilium/runtime/http/server";
import { z } from "zod";
import { type DecisionContext, nameOf } from "./studyRoutes.js";

const bodyMaxBytes = 3 * 1024 * 1024;
const approver = { role: "approver" } as const;

/** The policy file: shown, tried out on the studies that wait, saved with the version before it kept. */
export function routePolicy(server: HttpServer, { agent, auditLog }: DecisionContext): void {
  server.get(
    "/api/policy",
    { config: approver, schema: { summary: "The hospital's policy", response: { 200: policySchema } } },
    async () => agent.policy({}),
  );
  server.post(
    "/api/policy/check",
    {
      config: approver,
      bodyLimit: bodyMaxBytes,
      schema: {
        summary: "Checks a policy: its errors, and the effect on waiting studies; nothing is saved",
        body: policyCheckBody,
        response: { 200: policyCheckSchema },
      },
    },
    async ({ body }) => agent.policyCheck(body),
  );
  server.put(
    "/api/policy",
    {
      // The agent's audit log has it.
      config: { role: "administrator", does: false },
      bodyLimit: bodyMaxBytes,
      schema: {
        summary: "Saves the policy and keeps the previous version",
        description:
          "`version` must be the version of the edited text, so that no change is lost. An invalid text is not saved.",
        body: policySaveBody,
        response: { 200: policySchema },
      },
    },
    async ({ body, caller }) => {
      const saved = await agent.policySave({ ...body, by: nameOf(caller) });
      await auditLog.copyFromAgent();
      return saved;
    },
  );
  server.get(
    "/api/policy/history",
    {
      config: approver,
      schema: { summary: "Previous policies", response: { 200: z.array(policyVersionSchema) } },
    },
    async () => agent.policyHistory({}),
  );
  server.get(
    "/api/policy/history/:id",
    {
      config: approver,
      schema: {
        summary: "A previous policy",
        params: z.object({ id: z.string() }),
        response: { 200: policyVersionTextSchema },
      },
    },
    async ({ params }) => agent.policyVersion(params),
  );
}
