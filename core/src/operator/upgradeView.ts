import { z } from "zod";

/** What would become of studies under way under the version that looks: `consilium upgrade check`. */
export const upgradeViewSchema = z.object({
  /** The version that looks. */
  software: z.string(),
  studies: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      status: z.string(),
      /** Why it would be paused; null where it continues. */
      paused: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
});
export type UpgradeView = z.output<typeof upgradeViewSchema>;
