import { releaseWithdrawalSchema } from "@consilium/core/operator/consoleViews";
import { releaseIdPattern } from "@consilium/core/release/content";
import { reasonMaxLength, reasonSchema } from "@consilium/core/release/withdrawal";
import type { HttpServer } from "@consilium/runtime/http/server";
import { z } from "zod";
import type { Withdrawals } from "../release/withdrawals.js";

const viewer = { role: "viewer" } as const;
const operator = { role: "operator" } as const;
const releaseId = z.string().max(80).regex(releaseIdPattern, "not the id of a release");
const byRelease = z.object({ id: releaseId });
const reason = reasonSchema.describe(
  `Shown on the release's public page: one line, ${reasonMaxLength} characters at most.`,
);
const answer = { params: byRelease, response: { 200: releaseWithdrawalSchema } };

/** What is said of releases after their publication. */
export function routeReleases(
  server: HttpServer,
  { withdrawals }: { readonly withdrawals: Pick<Withdrawals, "list" | "request"> },
): void {
  server.get(
    "/api/withdrawals",
    {
      config: viewer,
      schema: {
        summary: "Releases that were withdrawn or superseded",
        description: "Oldest first.",
        response: { 200: z.array(releaseWithdrawalSchema) },
      },
    },
    async () => withdrawals.list(),
  );
  server.post(
    "/api/releases/:id/withdraw",
    {
      config: { ...operator, does: "withdrew the release" },
      schema: {
        summary: "Withdraws a release",
        description:
          "Final. Its page stays and says so; of its files only the certificate is still served. The same request again answers what was signed the first time; `deliveredAt` is null while the publisher does not answer.",
        body: z.strictObject({ reason, supersededBy: releaseId.optional() }),
        ...answer,
      },
    },
    async (request) => {
      const { id: release } = request.params;
      const { reason, supersededBy = null } = request.body;
      request.trail = { study: release, detail: reason };
      const actor = request.caller!.name;
      return withdrawals.request({ release, status: "withdrawn", reason, supersededBy, actor });
    },
  );
  server.post(
    "/api/releases/:id/supersede",
    {
      config: { ...operator, does: "superseded the release" },
      schema: {
        summary: "Says which release supersedes this one",
        description:
          "Both pages link to each other; the files of both are served. It may be withdrawn later.",
        body: z.strictObject({ by: releaseId, reason }),
        ...answer,
      },
    },
    async (request) => {
      const { id: release } = request.params;
      const { reason, by: supersededBy } = request.body;
      request.trail = { study: release, detail: `by ${supersededBy}: ${reason}` };
      const actor = request.caller!.name;
      return withdrawals.request({ release, status: "superseded", reason, supersededBy, actor });
    },
  );
}
