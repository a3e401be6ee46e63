import { z } from "zod";
import { claimSchema } from "../study/planViews.js";

/**
 * The hospital's policy as its console shows and takes it. The file is the hospital's own text: it is shown as it is,
 * and saved as it was written, comments included.
 */

const policyFaultSchema = z
  .object({
    line: z.int().min(1).nullable().describe("From 1; null for what has no line, such as a missing key."),
    message: z.string(),
  })
  .meta({ id: "PolicyFault", description: "One thing that is wrong with a policy's text." });
export type PolicyFaultView = z.output<typeof policyFaultSchema>;

export const decisionSchema = z
  .object({
    outcome: z
      .enum(["refused", "person", "automatic"])
      .describe("`refused`: by a rule, without anybody being asked."),
    rule: z.string().describe("The key of policy.yaml that decides, such as `perStudy.epsilon`."),
    words: z.string().describe("Whole sentences."),
    code: z.string().nullable().describe("The code of a refusal."),
  })
  .meta({ id: "PolicyDecision", description: "Which rule decides on a study, and how." });
export type DecisionView = z.output<typeof decisionSchema>;

export const policyStatusSchema = z
  .object({
    path: z.string(),
    state: z
      .enum(["read", "absent", "invalid"])
      .describe("`absent`: the defaults hold. `invalid`: every study is refused."),
    sha256: z.string().nullable().describe("Of the file's bytes; null unless it was read and holds."),
    fault: z.string().nullable().describe("Why it is invalid."),
  })
  .meta({ id: "PolicyStatus" });

export const policySchema = z
  .object({
    status: policyStatusSchema,
    text: z.string().nullable().describe("The file as it stands; null where there is none."),
    version: z
      .string()
      .nullable()
      .describe(
        "Of the file's bytes, whether it holds or not: to be named when it is saved again. Null where there is none.",
      ),
    faults: z.array(policyFaultSchema),
    suggestion: z.string().describe("A text to begin with, where there is no file: what holds without one."),
    tables: z.array(z.string()).describe("Of the site's configuration: studies may name these tables."),
    allowNoPrivacy: z.boolean().describe("`allowNoPrivacy` of config.yaml, which no policy can give."),
  })
  .meta({ id: "Policy" });
export type PolicyView = z.output<typeof policySchema>;

/** As the agent gives it. */
export const policyStandingSchema = policySchema.omit({ suggestion: true });
export type PolicyStanding = z.output<typeof policyStandingSchema>;

const dryRunSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    claim: claimSchema,
    present: decisionSchema
      .nullable()
      .describe("Null while the present policy has faults: it refuses everything."),
    edited: decisionSchema,
  })
  .meta({
    id: "PolicyDryRun",
    description: "What a study that waits would meet under the policy that is being edited.",
  });
export type DryRunView = z.output<typeof dryRunSchema>;

export const policyCheckSchema = z
  .object({
    faults: z.array(policyFaultSchema),
    waiting: z
      .array(dryRunSchema)
      .describe("Of every study that waits for a person; empty while the text has faults."),
    warnings: z
      .array(z.string())
      .describe(
        "What the text comes to beyond its rules, such as a budget that is spent already; whole sentences.",
      ),
  })
  .meta({ id: "PolicyCheck" });
export type PolicyCheckView = z.output<typeof policyCheckSchema>;

export const policyVersionSchema = z
  .object({
    id: z.string(),
    replacedAt: z.iso.datetime(),
    replacedBy: z.string().describe("The account or the token that saved the one after it."),
    sha256: z.string(),
  })
  .meta({ id: "PolicyVersion", description: "A policy that was replaced." });
export type PolicyVersionView = z.output<typeof policyVersionSchema>;
export const policyVersionTextSchema = policyVersionSchema
  .extend({ text: z.string() })
  .meta({ id: "PolicyVersionText" });
