import { z } from "zod";
import { claimSchema } from "../study/planViews.js";

/**
 * The hospital's policy as its console shows and takes it. The file is the hospital's own text: it is shown as it is,
 * and saved as it was written, comments included.
 */

/** One thing that is wrong with a policy's text. */
export const policyFaultSchema = z
  .object({
    /** From 1; null for what has no line, such as a missing key. */
    line: z.int().min(1).nullable(),
    message: z.string(),
  })
  .meta({ id: "PolicyFault" });
export type PolicyFaultView = z.output<typeof policyFaultSchema>;

/** Which rule decides on a study, and how. */
export const decisionSchema = z
  .object({
    /** `refused`: by a rule, without anybody being asked. */
    outcome: z.enum(["refused", "person", "automatic"]),
    /** The key of policy.yaml that decides, such as `perStudy.epsilon`. */
    rule: z.string(),
    /** Whole sentences. */
    words: z.string(),
    /** The code of a refusal. */
    code: z.string().nullable(),
  })
  .meta({ id: "PolicyDecision" });
export type DecisionView = z.output<typeof decisionSchema>;

export const policyStatusSchema = z
  .object({
    path: z.string(),
    /** `absent`: the defaults hold. `invalid`: every study is refused. */
    state: z.enum(["read", "absent", "invalid"]),
    /** Of the file's bytes; null unless it was read and holds. */
    sha256: z.string().nullable(),
    /** Why it is invalid. */
    fault: z.string().nullable(),
  })
  .meta({ id: "PolicyStatus" });
export type PolicyStatusView = z.output<typeof policyStatusSchema>;

export const policySchema = z
  .object({
    status: policyStatusSchema,
    /** The file as it stands; null where there is none. */
    text: z.string().nullable(),
    /** Of the file's bytes, whether it holds or not: to be named when it is saved again. Null where there is none. */
    version: z.string().nullable(),
    faults: z.array(policyFaultSchema),
    /** A text to begin with, where there is no file: what holds without one. */
    suggestion: z.string(),
    /** Of the site's configuration: studies may name these tables. */
    tables: z.array(z.string()),
    /** `allowNoPrivacy` of config.yaml, which no policy can give. */
    allowNoPrivacy: z.boolean(),
  })
  .meta({ id: "Policy" });
export type PolicyView = z.output<typeof policySchema>;

export const policyMaxLength = 1 << 20;

export const policyCheckBody = z.strictObject({ text: z.string().max(policyMaxLength) });
export const policySaveBody = z.strictObject({
  text: z.string().max(policyMaxLength),
  /** The version that was edited; null where there was no file. */
  version: z.string().max(64).nullable(),
});

/** What a study that waits would meet under the policy that is being edited. */
export const dryRunSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    claim: claimSchema,
    /** Null while the present policy has faults: it refuses everything. */
    present: decisionSchema.nullable(),
    edited: decisionSchema,
  })
  .meta({ id: "PolicyDryRun" });
export type DryRunView = z.output<typeof dryRunSchema>;

export const policyCheckSchema = z
  .object({
    faults: z.array(policyFaultSchema),
    /** Of every study that waits for a person; empty while the text has faults. */
    waiting: z.array(dryRunSchema),
    /** What the text comes to beyond its rules, such as a budget that is spent already; whole sentences. */
    warnings: z.array(z.string()),
  })
  .meta({ id: "PolicyCheck" });
export type PolicyCheckView = z.output<typeof policyCheckSchema>;

/** A policy that was replaced. */
export const policyVersionSchema = z
  .object({
    id: z.string(),
    replacedAt: z.iso.datetime(),
    /** The account or the token that saved the one after it. */
    replacedBy: z.string(),
    sha256: z.string(),
  })
  .meta({ id: "PolicyVersion" });
export type PolicyVersionView = z.output<typeof policyVersionSchema>;
export const policyVersionTextSchema = policyVersionSchema
  .extend({ text: z.string() })
  .meta({ id: "PolicyVersionText" });
