import { durationSchema } from "@consilium/core/unitSchemas";
import { z } from "zod";
import { checkedConfig } from "../config.js";

const leastMs = 3_600_000;
const period = z
  .string()
  .max(20)
  .pipe(durationSchema)
  .refine((ms) => ms >= leastMs, "a duration of 1h or more, such as 90d")
  .optional();

const retentionSchema = z.strictObject({
  /** A failed study can be resumed for so long; then it is cancelled, and its working data are removed. */
  failedStudies: period,
  /** Details of released and cancelled studies are kept for so long after their end. */
  studyRecords: period,
});

export type RetentionSettings = z.output<typeof retentionSchema>;

/** In the schema of a service's configuration. */
export const retentionConfigShape = { retention: retentionSchema.prefault({}) };

/** @throws ConsiliumError CONFIG_INVALID that names every wrong key */
export function retentionSettings(raw: unknown): RetentionSettings {
  return checkedConfig({ retention: raw ?? {} }, "config.yaml", z.object({ retention: retentionSchema }))
    .retention;
}

/** How often it is looked for what is due. */
export const retentionEveryMs = 3_600_000;

/**
 * How long a failed study is kept: the shorter of what the process and what the study itself says.
 * @param declared - the study's `participation.resumableFor`, in milliseconds
 * @returns milliseconds; null: permanently
 */
export function resumableForMs({ failedStudies }: RetentionSettings, declared: number | null): number | null {
  const periods = [failedStudies, declared].filter((ms): ms is number => ms !== undefined && ms !== null);
  return periods.length === 0 ? null : Math.min(...periods);
}

/** `participation.resumableFor` of a study's text, in milliseconds; null where it says nothing. */
export function declaredResumableFor(text: string): number | null {
  if (text === "") return null;
  const { participation } = JSON.parse(text) as {
    readonly participation?: { readonly resumableFor?: unknown };
  };
  const said = participation?.resumableFor;
  if (said === undefined) return null;
  return durationSchema.parse(said);
}
