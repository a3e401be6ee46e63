import { z } from "zod";

/**
 * Why hospitals that were asked did not take part, of those alone whose policy lets the code of a refusal be published. The aggregator says
 * so: no hospital of the study has signed it.
 */
export const refusalsSchema = z
  .array(
    z.strictObject({
      code: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]*$/)
        .max(64),
      hospitals: z.int().min(1),
    }),
  )
  .min(1)
  .max(100);
export type Refusals = z.output<typeof refusalsSchema>;
