import { z } from "zod";
import { type PrivacyEvent, parseEvent } from "../privacy/events.js";
import { lossDistributionSchema } from "./lossViews.js";
import type { Disclosure, PrivacyClaim } from "./plan.js";

/** What a study's plan says of privacy, as the services' APIs show it. */

const privacyEventSchema = z
  .custom<PrivacyEvent>((value) => parseEvent(value).ok)
  .meta({
    id: "PrivacyEvent",
    description: "A release by one mechanism, or several composed: core/src/privacy/events.ts.",
    type: "object",
    properties: { kind: { type: "string" } },
    required: ["kind"],
  });

export const disclosureSchema = z
  .object({
    what: z.string(),
    form: z.enum(["masked sum", "rows in the clear", "tag counts"]),
    learns: z.string(),
    mechanism: z.string(),
    normBound: z.number().nullable(),
    sensitivity: z.number().nullable(),
    cost: z.object({ epsilon: z.number(), delta: z.number() }).nullable(),
    event: privacyEventSchema,
  })
  .meta({ id: "Disclosure" }) satisfies z.ZodType<Disclosure>;

export const claimSchema = z
  .object({
    verdict: z.enum(["proved", "claimed by the authors, not verified", "no privacy"]),
    epsilon: z.number().nullable(),
    delta: z.number().nullable(),
    lossDistribution: lossDistributionSchema
      .optional()
      .describe("The sharper ε, where the exact loss distribution is proven."),
    isExact: z.literal(true).optional().describe("epsilon is that of lossDistribution."),
    neighbouringRelation: z.string(),
    unit: z.string().describe("Whom it protects."),
    proof: z.string().nullable(),
    reasons: z.array(z.string()).readonly(),
  })
  .meta({ id: "PrivacyClaim" }) satisfies z.ZodType<PrivacyClaim>;

export type ClaimView = z.output<typeof claimSchema>;
