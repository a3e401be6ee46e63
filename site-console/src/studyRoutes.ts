import { profileBody } from "@consilium/core/hospital/bodies";
import { approveBody } from "@consilium/core/hospital/deputyViews";
import { profileSchema } from "@consilium/core/hospital/profileViews";
import { questionBody } from "@consilium/core/hospital/questionViews";
import { shownSchema } from "@consilium/core/hospital/shown";
import { decidedSchema, explainedStudySchema, offeredStudySchema } from "@consilium/core/hospital/studyViews";
import { tableExaminationSchema } from "@consilium/core/hospital/tableExamination";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import type { Caller } from "@consilium/runtime/http/roles";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import { z } from "zod";
import type { AuditLog } from "./auditLog.js";
import type { Deputies } from "./deputies.js";

/** For routes that change something at the agent, which writes down itself who did it. */
export interface DecisionContext {
  readonly agent: HospitalAgent;
  readonly auditLog: Pick<AuditLog, "copyFromAgent">;
  readonly deputies: Deputies;
  readonly log: Logger;
}

/** Who asks, as the agent's audit log takes a name: a token's label may hold anything. */
export function nameOf(caller: Caller | null): string {
  return (caller?.name ?? "unknown").replace(/\p{Cc}/gu, " ").slice(0, 300);
}

const approver = { role: "approver" } as const;
/** The agent's audit log has it, by the account's name. */
const decision = { role: "approver", does: false } as const;
const refusalBody = z.strictObject({
  reason: z.string().max(2_000).nullable(),
  shown: shownSchema.optional(),
});
const params = z.object({ id: z.string() });
const tableParams = z.object({ name: z.string().max(64) });
const pageLimit = 500;
const pageQuery = z.object({ after: z.string().max(200).optional() });

/** Studies that were offered, what a person decides on them, and the table as they would see it. */
export function routeStudies(server: HttpServer, { agent, auditLog, deputies }: DecisionContext): void {
  server.get(
    "/api/studies",
    {
      config: approver,
      schema: {
        summary: "Offered studies",
        description: `Newest first, ${pageLimit} at most; \`after\` takes the last id of the previous page.`,
        querystring: pageQuery,
        response: { 200: z.array(offeredStudySchema) },
      },
    },
    async ({ query }) => agent.studies(query),
  );
  server.get(
    "/api/studies/:id",
    {
      config: approver,
      schema: { summary: "A study with its explanation", params, response: { 200: explainedStudySchema } },
    },
    async ({ params: { id } }) => agent.study({ id }),
  );
  server.post(
    "/api/studies/:id/approve",
    {
      config: decision,
      schema: {
        summary: "Approves a study",
        description:
          "Reserves the study's cost in the ledger. Only a waiting study can be approved; the policy is checked again. Where it asks for two people, the study waits on after the first. With `shown` it is refused where that is not what would be approved by now.",
        params,
        body: approveBody,
        response: { 200: decidedSchema },
      },
    },
    async ({ params: { id }, body, caller }) => {
      const by = nameOf(caller);
      const inPlaceOf = body?.inPlaceOf;
      if (inPlaceOf !== undefined) deputies.demand(by, inPlaceOf);
      const decided = await agent.approve({ id, by, ...body });
      await auditLog.copyFromAgent();
      return decided;
    },
  );
  server.post(
    "/api/studies/:id/refuse",
    {
      config: decision,
      schema: {
        summary: "Denies a study; the reason stays at the hospital",
        description: "The aggregator learns that the study was denied, but not the reason.",
        params,
        body: refusalBody,
        response: { 200: decidedSchema },
      },
    },
    async ({ params: { id }, body, caller }) => {
      const decided = await agent.refuse({ id, by: nameOf(caller), ...body });
      await auditLog.copyFromAgent();
      return decided;
    },
  );
  server.post(
    "/api/studies/:id/questions",
    {
      config: decision,
      schema: {
        summary: "Asks the operator a question about a study",
        description:
          "The text leaves the hospital as it is, without the name of who asks; the answer comes with the study. At most 20 about a study, and 10 within an hour.",
        params,
        body: questionBody,
        response: { 200: decidedSchema },
      },
    },
    async ({ params: { id }, body: { text }, caller }) => {
      const decided = await agent.ask({ id, by: nameOf(caller), text });
      await auditLog.copyFromAgent();
      return decided;
    },
  );
  routeProfile(server, agent);
}

/** Without values of the table: they do not come into this process. */
function routeProfile(server: HttpServer, agent: HospitalAgent): void {
  const response = { 200: profileSchema };
  server.post(
    "/api/profile",
    {
      config: approver,
      schema: {
        summary: "Profiles the table for a study file; it stays at the hospital",
        description:
          "Counts of rows and cells by column, and the table check of the study's columns. Minimum, mean and maximum are only in `consilium site profile`.",
        body: profileBody,
        response,
      },
    },
    async ({ body: { study } }) => agent.profile({ study, values: false }),
  );
  server.post(
    "/api/studies/:id/profile",
    {
      config: approver,
      schema: {
        summary: "Profiles the table for an offered study; it stays at the hospital",
        params,
        response,
      },
    },
    async ({ params: { id } }) => agent.studyProfile({ id }),
  );
  server.post(
    "/api/tables/:name/check",
    {
      config: approver,
      schema: {
        summary: "Reads a table through and says what is wrong with it; it stays at the hospital",
        description:
          "How it is written, rows that are left out by cause and how they differ from the others, levels and years of dates as they are written, and what its entry should say. No text that fewer than five cells have, and no mean of fewer than twenty.",
        params: tableParams,
        response: { 200: tableExaminationSchema },
      },
    },
    async ({ params: { name } }) => agent.tableCheck({ table: name }),
  );
}
