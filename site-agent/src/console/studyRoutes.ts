import { type ProfileView, profileBody, profileSchema } from "@consilium/core/hospital/profileViews";
import { decidedSchema, explainedStudySchema, offeredStudySchema } from "@consilium/core/hospital/studyViews";
import { unwrap } from "@consilium/core/result";
import { parseStudy, type Study } from "@consilium/core/study/study";
import type { HttpServer } from "@consilium/runtime/http/server";
import { readStudyYaml } from "@consilium/runtime/yaml/studyYaml";
import { z } from "zod";
import type { ProfileReport } from "../data/profile.js";
import { formatProfile } from "../data/profileText.js";
import type { Tables } from "../data/tables.js";
import type { Joining } from "../studies/joining.js";
import {
  explainedAfter,
  explainedStudy,
  listStudies,
  type StudyViewsContext,
  studyIdOfPath,
  studyOffered,
} from "./studyViews.js";

/** What of a table's values its profile shows, beside counts. */
export interface ProfileOptions {
  /** Whether the least, the mean and the largest of a column's values are in it: each may be one patient's. */
  readonly showsValues: boolean;
}

export interface StudyRoutesContext extends StudyViewsContext {
  readonly joining: Joining;
  readonly tables: Pick<Tables, "profile">;
  readonly connection: { readonly status: { readonly connected: boolean } };
}

const approver = { role: "approver" } as const;
const refusalBody = z.strictObject({ reason: z.string().max(2_000).nullable() });
const params = z.object({ id: z.string() });
/** Studies of one answer. */
const pageLimit = 500;
const pageQuery = z.object({ after: z.string().max(200).optional() });

/** Studies that were offered, what a person decides on them, and the table as they would see it. */
export function routeStudies(server: HttpServer, context: StudyRoutesContext, options: ProfileOptions): void {
  const { joining, connection } = context;
  const decided = (id: string) => ({
    study: explainedStudy(context, studyIdOfPath(id)),
    connected: connection.status.connected,
  });
  server.get(
    "/api/studies",
    {
      config: approver,
      schema: {
        summary: "Studies that were offered",
        description: `Newest first, ${pageLimit} at most; \`after\` takes the last id of the page before.`,
        querystring: pageQuery,
        response: { 200: z.array(offeredStudySchema) },
      },
    },
    async ({ query: { after } }) =>
      listStudies(context, {
        limit: pageLimit,
        after: after === undefined ? undefined : studyIdOfPath(after),
      }),
  );
  server.get(
    "/api/studies/:id",
    {
      config: approver,
      schema: { summary: "A study in plain words", params, response: { 200: explainedStudySchema } },
    },
    async ({ params: { id } }) => explainedStudy(context, studyIdOfPath(id)),
  );
  server.post(
    "/api/studies/:id/approve",
    {
      config: { ...approver, does: "approved the study" },
      schema: {
        summary: "This hospital takes part",
        description:
          "Reserves the study's cost in the ledger. Only a study that waits for approval can be approved; the policy is asked again.",
        params,
        response: { 200: decidedSchema },
      },
    },
    async ({ params: { id }, caller }) => {
      await joining.approve(studyIdOfPath(id), caller!.name);
      return decided(id);
    },
  );
  server.post(
    "/api/studies/:id/refuse",
    {
      config: { ...approver, does: "refused the study" },
      schema: {
        summary: "This hospital does not take part; the reason stays here",
        description: "The aggregator learns that the study was refused and nothing of the reason.",
        params,
        body: refusalBody,
        response: { 200: decidedSchema },
      },
    },
    async ({ params: { id }, body, caller }) => {
      const study = explainedAfter(context, studyIdOfPath(id), () => {
        joining.refuse(studyIdOfPath(id), caller!.name, body.reason);
      });
      return { study, connected: connection.status.connected };
    },
  );
  routeProfile(server, context, options);
}

function routeProfile(server: HttpServer, context: StudyRoutesContext, options: ProfileOptions): void {
  const response = { 200: profileSchema };
  const profile = async (study: Study) => profileView(await context.tables.profile(study), options);
  server.post(
    "/api/profile",
    {
      config: approver,
      schema: {
        summary: "The table as a study file would see it; it stays at the hospital",
        description:
          "Counts of rows and cells by column. Over HTTP no minimum, mean or maximum is shown; on the agent's socket they are.",
        body: profileBody,
        response,
      },
    },
    async ({ body }) => profile(unwrap(parseStudy(await readStudyYaml(body.study)))),
  );
  server.post(
    "/api/studies/:id/profile",
    {
      config: approver,
      schema: {
        summary: "The table as an offered study would see it; it stays at the hospital",
        params,
        response,
      },
    },
    async ({ params: { id } }) => profile(studyOffered(context, studyIdOfPath(id))),
  );
}

function profileView(full: ProfileReport, { showsValues }: ProfileOptions): ProfileView {
  const report = showsValues ? full : { ...full, columns: full.columns.map(withoutValues) };
  return { report, text: formatProfile(report) };
}

function withoutValues(column: ProfileReport["columns"][number]): ProfileReport["columns"][number] {
  return column.type === "numeric" ? { ...column, min: null, mean: null, max: null, stdDev: null } : column;
}
