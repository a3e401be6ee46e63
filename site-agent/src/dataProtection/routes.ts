import { dataProtectionAnswerSchema } from "@consilium/core/hospital/dataProtectionViews";
import type { HttpServer } from "@consilium/runtime/http/server";
import { dataProtectionDocument } from "./document.js";
import type { SiteFacts } from "./facts.js";
import { dataProtectionMarkdown } from "./markdown.js";

export interface DataProtectionContext {
  /** What the data-protection document is made from, as it stands now. */
  readonly facts: () => Promise<SiteFacts>;
}

const config = { role: "approver" } as const;

/** What a data-protection officer needs of this site: as JSON, and to download. */
export function routeDataProtection(server: HttpServer, { facts }: DataProtectionContext): void {
  server.get(
    "/api/data-protection",
    {
      config,
      schema: {
        summary: "Purposes, data flows, guarantees, retention and measures of this site",
        response: { 200: dataProtectionAnswerSchema },
      },
    },
    async () => answerOf(await facts()),
  );
  server.get(
    "/api/data-protection/export",
    {
      config,
      schema: { summary: "The same as a Markdown document", answerType: "text/markdown" },
    },
    async (_, reply) => {
      const { document, markdown } = answerOf(await facts());
      const name = `data-protection-${document.hospital.site}-${document.madeAt.slice(0, 10)}.md`;
      return reply
        .type("text/markdown; charset=utf-8")
        .header("content-disposition", `attachment; filename="${name}"`)
        .send(markdown);
    },
  );
}

export function answerOf(facts: SiteFacts) {
  const document = dataProtectionDocument(facts);
  return { document, markdown: dataProtectionMarkdown(document) };
}
