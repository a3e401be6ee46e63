import { retentionViewSchema } from "@consilium/core/operator/views";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { Retention } from "../rounds/retention.js";

/** How long old studies' data are kept, and what is due. */
export function routeRetention(
  server: HttpServer,
  { retention }: { readonly retention: Pick<Retention, "view" | "run"> },
): void {
  server.get(
    "/api/retention",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Retention periods, and what is due to be removed",
        response: { 200: retentionViewSchema },
      },
    },
    async () => retention.view(),
  );
  server.post(
    "/api/retention/run",
    {
      // The audit log has each study.
      config: { role: "operator", does: false },
      schema: {
        summary: "Removes what is due now",
        description: "As happens by itself every hour. Answers what was due before.",
        response: { 200: retentionViewSchema },
      },
    },
    async () => {
      const view = retention.view();
      retention.run();
      return view;
    },
  );
}
