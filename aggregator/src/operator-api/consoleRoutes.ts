import {
  consoleSchema,
  invitationListEntrySchema,
  studyCheckSchema,
  studyResultSchema,
} from "@consilium/core/operator/consoleViews";
import { eventStreamType, sendEvents } from "@consilium/runtime/http/events";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import { z } from "zod";
import type { OperatorConsole } from "./console.js";
import { byId, idOf, rawStudy, studySchema } from "./studyRequests.js";

const operator = { role: "operator" } as const;
const viewer = { role: "viewer" } as const;
/** The overview changes with every received byte; limits the rate for human readers. */
const overviewIntervalMs = 500;

/** The routes of core/src/operator/consoleViews.ts. */
export function routeConsole(
  server: HttpServer,
  { console, log }: { readonly console: OperatorConsole; readonly log: Logger },
): void {
  server.get(
    "/api/events",
    {
      config: viewer,
      schema: {
        summary: "Streams the federation and its studies",
        description: "Each event is the whole Console, at most two a second.",
        answerType: eventStreamType,
        response: { 200: consoleSchema },
      },
    },
    async (request, reply) =>
      sendEvents(
        request,
        reply,
        {
          now: () => console.view(),
          subscribe: (changed) => console.subscribe(changed),
          failed: (thrown) => log.error("cannot build the overview", {}, thrown),
        },
        { intervalMs: overviewIntervalMs },
      ),
  );
  server.get(
    "/api/studies/schema",
    {
      config: viewer,
      schema: {
        summary: "A study's file as JSON Schema",
        response: { 200: z.record(z.string(), z.unknown()) },
      },
    },
    async () => console.jsonSchema(),
  );
  server.post(
    "/api/studies/check",
    {
      config: viewer,
      schema: {
        ...studySchema,
        summary: "Checks a study: its errors, or its plan and cost",
        description: "Answers 200 whether or not the file has errors. Nothing runs.",
        response: { 200: studyCheckSchema },
      },
    },
    async ({ body }) => console.check(await rawStudy(body)),
  );
  server.get(
    "/api/studies/:id/result",
    {
      config: viewer,
      schema: {
        summary: "A released study's figures",
        description: "The data of its plots. STUDY_STATE before the study is released.",
        params: byId,
        response: { 200: studyResultSchema },
      },
    },
    async ({ params }) => console.result(idOf(params.id)),
  );
  server.get(
    "/api/invitations",
    {
      config: operator,
      schema: { summary: "Invitations", response: { 200: z.array(invitationListEntrySchema) } },
    },
    async () => console.invitations(),
  );
  server.delete(
    "/api/invitations/:id",
    {
      config: { ...operator, does: false },
      schema: { summary: "Withdraws an unused invitation", params: byId, response: { 204: z.undefined() } },
    },
    async (request, reply) => {
      console.withdraw(request.params.id, request.caller!.name);
      return reply.code(204).send();
    },
  );
}
