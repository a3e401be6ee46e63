import type { PeopleView } from "@consilium/core/hospital/agentApi";
import {
  type DataProtectionScope,
  dataProtectionAnswerSchema,
  dataProtectionScopeSchema,
} from "@consilium/core/hospital/dataProtectionViews";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import type { HttpServer } from "@consilium/runtime/http/server";
import { installedMethods } from "../methods.js";
import { dataProtectionAnswer } from "./answer.js";

export interface DataProtectionContext {
  readonly agent: HospitalAgent;
  /** Who has an account here, in counts. */
  readonly people: () => PeopleView;
}

const config = { role: "approver" } as const;

/** What a data-protection officer needs of this site: as JSON, and to download. */
export function routeDataProtection(server: HttpServer, { agent, people }: DataProtectionContext): void {
  const answer = async (scope: DataProtectionScope) =>
    dataProtectionAnswer(
      { ...(await agent.protectionFacts({})), people: people() },
      await installedMethods(),
      scope,
    );
  server.get(
    "/api/data-protection",
    {
      config,
      schema: {
        summary: "Purposes, data flows, guarantees, retention and measures of this site",
        querystring: dataProtectionScopeSchema,
        response: { 200: dataProtectionAnswerSchema },
      },
    },
    ({ query }) => answer(query),
  );
  server.get(
    "/api/data-protection/export",
    {
      config,
      schema: {
        summary: "The same as a Markdown document",
        querystring: dataProtectionScopeSchema,
        answerType: "text/markdown",
      },
    },
    async ({ query }, reply) => {
      const { document, markdown } = await answer(query);
      const name = `data-protection-${document.hospital.site}-${document.madeAt.slice(0, 10)}.md`;
      return reply
        .type("text/markdown; charset=utf-8")
        .header("content-disposition", `attachment; filename="${name}"`)
        .send(markdown);
    },
  );
}
