import { z } from "zod";

/** What people ask of a hospital's pages and of its agent alike. */

/** Of POST /api/ledger/reconcile. */
export const reconcileBody = z.strictObject({
  charge: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe(
      "ε that a person declares to be lost, in every population at its δ, where only the place of a head is known.",
    ),
});

const policyMaxLength = 1 << 20;

export const policyCheckBody = z.strictObject({ text: z.string().max(policyMaxLength) });
export const policySaveBody = z.strictObject({
  text: z.string().max(policyMaxLength),
  version: z
    .string()
    .max(64)
    .nullable()
    .describe("The version that was edited; null where there was no file."),
});

export const profileBody = z.strictObject({
  study: z.string().max(2_000_000).describe("A study file, YAML or JSON."),
});
