import { z } from "zod";
import type { PrivacyClaim } from "../study/plan.js";

/** What a study claims of its privacy, as the hospital's console shows it. */
export const claimSchema = z
  .object({
    verdict: z.enum(["proved", "claimed by the authors, not verified", "no privacy"]),
    epsilon: z.number().nullable(),
    delta: z.number().nullable(),
    neighbouringRelation: z.string(),
    /** Whom it protects. */
    unit: z.string(),
    proof: z.string().nullable(),
    reasons: z.array(z.string()).readonly(),
  })
  .meta({ id: "PrivacyClaim" }) satisfies z.ZodType<PrivacyClaim>;
export type ClaimView = z.output<typeof claimSchema>;
