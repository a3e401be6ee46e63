import { z } from "zod";
import { type ErrorCode, errorTable } from "./errors.js";

export const errorCodeSchema = z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]).meta({
  id: "ErrorCode",
  description: "Stable: the page ERRORS of the documentation says what each means.",
});

/** The body of every failure, with a 4xx or 5xx. */
export const failureSchema = z
  .object({
    code: errorCodeSchema,
    message: z.string().describe("what, where and the numbers"),
    remedy: z.string().describe("what to do about it"),
    said: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("the same sentences by code and parameters, where they have a code"),
  })
  .meta({ id: "Failure" });

export type FailureView = z.output<typeof failureSchema>;
