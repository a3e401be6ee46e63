import { totalHeader } from "@consilium/core/operator/pages";
import type { ExistingSite, StudyQuery } from "@consilium/core/operator/views";
import { answer, operatorApi } from "../shared/api";

/** A page of studies; `next` begins the one after it. */
async function studies(query: Partial<StudyQuery>) {
  const { data, response } = await operatorApi.GET("/api/studies", { params: { query } });
  const found = data!;
  const hasNext = (response.headers.get("link") ?? "").includes('rel="next"');
  return {
    studies: found,
    total: Number(response.headers.get(totalHeader) ?? found.length),
    next: hasNext ? (found.at(-1)?.id ?? null) : null,
  };
}

const byId = (id: string) => ({ params: { path: { id } } });
/** A study file is sent unchanged. */
const yaml = (text: string) => ({
  body: text,
  bodySerializer: (body: unknown) => String(body),
  headers: { "content-type": "application/yaml" },
});

/** Every route of the aggregator that these pages use, except the streams. */
export const aggregator = {
  federation: () => answer(operatorApi.GET("/api/federation")),
  studies,
  study: (id: string) => answer(operatorApi.GET("/api/studies/{id}", byId(id))),
  questions: (id: string) => answer(operatorApi.GET("/api/studies/{id}/questions", byId(id))),
  answer: (id: string, question: string, text: string) =>
    answer(
      operatorApi.POST("/api/studies/{id}/questions/{question}/answer", {
        params: { path: { id, question } },
        body: { text },
      }),
    ),
  times: (id: string) => answer(operatorApi.GET("/api/studies/{id}/times", byId(id))),
  result: (id: string) => answer(operatorApi.GET("/api/studies/{id}/result", byId(id))),
  cancel: (id: string) => answer(operatorApi.POST("/api/studies/{id}/cancel", byId(id))),
  resume: (id: string) => answer(operatorApi.POST("/api/studies/{id}/resume", byId(id))),
  accept: (id: string) => answer(operatorApi.POST("/api/studies/{id}/accept", byId(id))),
  proceed: (id: string) => answer(operatorApi.POST("/api/studies/{id}/proceed", byId(id))),
  extend: (id: string, until: string) =>
    answer(operatorApi.POST("/api/studies/{id}/extend", { ...byId(id), body: { until } })),
  withdrawals: () => answer(operatorApi.GET("/api/withdrawals")),
  withdrawRelease: (id: string, reason: string, supersededBy: string) =>
    answer(
      operatorApi.POST("/api/releases/{id}/withdraw", {
        ...byId(id),
        body: { reason, ...(supersededBy === "" ? {} : { supersededBy }) },
      }),
    ),
  supersedeRelease: (id: string, reason: string, by: string) =>
    answer(operatorApi.POST("/api/releases/{id}/supersede", { ...byId(id), body: { reason, by } })),
  studySchema: () => answer(operatorApi.GET("/api/studies/schema")),
  tables: () => answer(operatorApi.GET("/api/tables")),
  table: (name: string) => answer(operatorApi.GET("/api/tables/{name}", { params: { path: { name } } })),
  check: (text: string, signal: AbortSignal) =>
    answer(operatorApi.POST("/api/studies/check", { ...yaml(text), signal })),
  start: (text: string) => answer(operatorApi.POST("/api/studies", yaml(text))),
  notifications: () => answer(operatorApi.GET("/api/notifications")),
  testNotifications: () => answer(operatorApi.POST("/api/notifications/test")),
  invitations: () => answer(operatorApi.GET("/api/invitations")),
  invite: (site: string, expiresInMs: number, existing: ExistingSite) =>
    answer(operatorApi.POST("/api/invitations", { body: { site, expiresInMs, existing } })),
  withdraw: (id: string) => answer(operatorApi.DELETE("/api/invitations/{id}", byId(id))),
};

/** The result of checking a study file: its errors, or its plan and cost. */
export type StudyCheck = Awaited<ReturnType<typeof aggregator.check>>;
export type StudyPlan = NonNullable<StudyCheck["plan"]>;
export type SharedTable = Awaited<ReturnType<typeof aggregator.table>>;
