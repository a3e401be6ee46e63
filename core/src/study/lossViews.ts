import { z } from "zod";
import type { PlanLoss } from "./plan.js";

const positiveInteger = z.int().positive();

/** ε of a plan's fixed composition by its exact loss distribution, and what that is composed of. */
export const lossDistributionSchema = z
  .strictObject({
    epsilon: z.number().min(0),
    entries: z
      .array(
        z.strictObject({
          shift: z.strictObject({
            most: positiveInteger,
            shareVariance: z.number().min(0.25),
            noiseShares: positiveInteger,
          }),
          count: positiveInteger,
        }),
      )
      .min(1)
      .max(1000)
      .readonly(),
  })
  .meta({ id: "LossDistribution" }) satisfies z.ZodType<PlanLoss>;
