import { z } from "zod";
import { claimSchema } from "../study/planViews.js";
import { decisionSchema } from "./policyViews.js";

/** Studies as the hospital's own console shows them. */

const moment = z.iso.datetime();

/** Stages that disclose the same in the same words. */
export const leavingSchema = z
  .object({
    /** Numbers of the stages in the plan, as people write them: `3`, `1-2`. */
    numbers: z.string(),
    name: z.string(),
    /** What the numbers are, in the plan's own words. */
    what: z.string(),
    form: z.enum(["masked sum", "rows in the clear", "tag counts"]),
    /** What the form means: who can read it, and who cannot. */
    formWords: z.string(),
    noise: z.string(),
    learns: z.string(),
    /** Of one stage, at most. */
    bytes: z.int(),
    stages: z.int(),
  })
  .meta({ id: "Leaving" });
export type LeavingView = z.output<typeof leavingSchema>;

/** What a study does to the budget of the population that its table belongs to. Every ε is rounded against us. */
export const studyBudgetSchema = z
  .object({
    population: z.string(),
    tables: z.array(z.string()),
    delta: z.number(),
    /** Null: the hospital sets no limit. */
    limit: z.number().nullable(),
    /** ε that is spent or reserved without this study, and with it. */
    before: z.number(),
    after: z.number(),
    remainingBefore: z.number().nullable(),
    remainingAfter: z.number().nullable(),
    /** Whether the limit leaves room for it. */
    fits: z.boolean(),
    /** Earlier releases, and stages of this study, for which nothing is proved. */
    unprovedBefore: z.int(),
    unprovedHere: z.int(),
    /** Whether the study's cost is reserved or spent already. */
    charged: z.boolean(),
  })
  .meta({ id: "StudyBudget" });
export type StudyBudgetView = z.output<typeof studyBudgetSchema>;

export const siteStudyStatusSchema = z.enum([
  "waiting for approval",
  "refused",
  "joined",
  "waiting",
  "released",
  "cancelled",
]);
export type SiteStudyStatus = z.output<typeof siteStudyStatusSchema>;

/** A study in the hospital's own list. */
export const offeredStudySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    status: siteStudyStatusSchema,
    /** The status as the end of a sentence. */
    words: z.string(),
    table: z.string(),
    analysis: z.string(),
    method: z.string(),
    variant: z.string(),
    firstSeenAt: moment,
    endedAt: moment.nullable(),
    /** Until when it can be approved; null when it does not wait for that. */
    approveUntil: moment.nullable(),
    decidedAt: moment.nullable(),
    /** Who approved or refused it: an account, or the command line. */
    decidedBy: z.string().nullable(),
    /** Why it was refused or came to a stop: stays at the site. */
    code: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "OfferedStudy" });
export type OfferedStudyView = z.output<typeof offeredStudySchema>;

/** A titled part of a study's explanation. */
export const sectionSchema = z
  .object({ title: z.string(), paragraphs: z.array(z.string()).readonly() })
  .meta({ id: "Section" });

/** A study in plain words, by the site's own reading of the plan. */
export const explainedStudySchema = offeredStudySchema
  .extend({
    hash: z.string(),
    /** The study as it was offered. */
    study: z.unknown(),
    /** What the policy says of it as it stands now. */
    verdict: z.object({
      allowed: z.boolean(),
      code: z.string().nullable(),
      message: z.string().nullable(),
    }),
    /** Which rule of the policy decides, as it stands now. */
    decision: decisionSchema,
    claim: claimSchema,
    leaving: z.array(leavingSchema),
    /** Of all stages together, at most. */
    leavingBytes: z.int(),
    /** Null for a study that this hospital is no part of, or that has ended. */
    budget: studyBudgetSchema.nullable(),
    explanation: z.array(sectionSchema).readonly(),
  })
  .meta({ id: "ExplainedStudy" });
export type ExplainedStudyView = z.output<typeof explainedStudySchema>;

/** Of a decision that was taken. */
export const decidedSchema = z
  .object({
    study: explainedStudySchema,
    /** Whether the aggregator could be told at once; if not, it asks again. */
    connected: z.boolean(),
  })
  .meta({ id: "Decided" });
export type DecidedView = z.output<typeof decidedSchema>;
