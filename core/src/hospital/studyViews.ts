import { z } from "zod";
import { claimSchema } from "../study/planViews.js";
import { unitSchema } from "./ledgerViews.js";
import { decisionSchema } from "./policyViews.js";
import { questionSchema } from "./questionViews.js";
import { shownTermsSchema } from "./shown.js";

/** Studies as the hospital's own console shows them. */

const moment = z.iso.datetime();

export const leavingSchema = z
  .object({
    numbers: z.string().describe("Numbers of the stages in the plan, as people write them: `3`, `1-2`."),
    name: z.string(),
    what: z.string().describe("What the numbers are, in the plan's own words."),
    form: z.enum(["masked sum", "rows in the clear", "tag counts"]),
    formWords: z.string().describe("What the form means: who can read it, and who cannot."),
    noise: z.string(),
    learns: z.string(),
    bytes: z.int().describe("Of one stage, at most."),
    stages: z.int(),
    stageIds: z.array(z.string()).readonly().describe("As the egress log names them."),
  })
  .meta({ id: "Leaving", description: "Stages that disclose the same in the same words." });
export type LeavingView = z.output<typeof leavingSchema>;

const studyBudgetSchema = z
  .object({
    population: z.string(),
    tables: z.array(z.string()),
    delta: z.number(),
    unit: unitSchema,
    factor: z
      .int()
      .describe(
        "How many times the plan's cost is charged, where the hospital counts patients and the study rows.",
      ),
    limit: z.number().nullable().describe("Null: the hospital sets no limit."),
    before: z.number().describe("ε that is spent or reserved without this study; `after`: with it."),
    after: z.number(),
    remainingBefore: z.number().nullable(),
    remainingAfter: z.number().nullable(),
    fits: z.boolean().describe("Whether the limit leaves room for it."),
    unprovedBefore: z
      .int()
      .describe("Earlier releases, and stages of this study, for which nothing is proven."),
    unprovedHere: z.int(),
    charged: z.boolean().describe("Whether the study's cost is reserved or spent already."),
  })
  .meta({
    id: "StudyBudget",
    description:
      "What a study does to the budget of the population that its table belongs to. Every ε is rounded so that no more seems left than is.",
  });
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

export const offeredStudySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    status: siteStudyStatusSchema,
    words: z.string().describe("The status as the end of a sentence."),
    joined: z.boolean().describe("Whether this hospital takes part, or took part until the study ended."),
    table: z.string(),
    analysis: z.string(),
    method: z.string(),
    variant: z.string(),
    verdict: claimSchema.shape.verdict
      .nullable()
      .describe("What is proven of its privacy; null of an old study whose text is not kept."),
    stated: z
      .object({ epsilon: z.number(), delta: z.number() })
      .nullable()
      .describe("The ε and δ that the study states, as its certificate does; null where it has none."),
    firstSeenAt: moment,
    endedAt: moment.nullable(),
    approveUntil: moment.nullable().describe("Until when it can be approved; null where it need not be."),
    joinUntil: moment
      .nullable()
      .describe("Until when hospitals could join it, as told last; null where no person was asked."),
    firstApproval: z
      .object({ by: z.string(), at: moment })
      .nullable()
      .describe("Of a study that waits for a second approver."),
    decidedAt: moment.nullable(),
    decidedBy: z.string().nullable().describe("Who approved or refused it: an account, or the command line."),
    code: z.string().nullable().describe("Why it was refused or came to a stop: stays at the site."),
    reason: z.string().nullable(),
  })
  .meta({ id: "OfferedStudy", description: "A study in the hospital's own list." });
export type OfferedStudyView = z.output<typeof offeredStudySchema>;

const sectionSchema = z
  .object({ title: z.string(), paragraphs: z.array(z.string()).readonly() })
  .meta({ id: "Section", description: "A titled part of a study's explanation." });

export const statementSchema = z.object({ title: z.string(), text: z.string() }).meta({ id: "Statement" });

const requestSchema = z
  .object({
    title: z.string().nullable(),
    description: z.string().nullable(),
    creator: z.string().nullable().describe("Whom to name when the release is cited."),
    stated: z
      .array(statementSchema)
      .describe("Who wants the study and on what ground, such as its investigator and ethics vote."),
    unstated: z.array(z.string()).describe("Titles of what it does not state of these."),
    columns: z
      .array(z.string())
      .describe("Names of the table's columns that it reads: the label's and the patient's first."),
    makes: z
      .array(z.string())
      .describe("Names of what it makes of them: of dates, or recoded. Empty for most."),
    maxRows: z.int().describe("At most so many rows of this hospital are used."),
    patientColumn: z.string().nullable(),
    minimumSites: z.int(),
    withstands: z.int().describe("So many hospitals may work together with the aggregator."),
    readers: z.enum(["open", "token"]).describe("Who may read the release."),
  })
  .meta({ id: "StudyRequest", description: "What a study asks for, from its own text." });
export type StudyRequestView = z.output<typeof requestSchema>;

export const explainedStudySchema = offeredStudySchema
  .extend({
    hash: z.string(),
    terms: shownTermsSchema.describe("What an approval would be of, as it stands now."),
    request: requestSchema,
    study: z.unknown().describe("The study as it was offered."),
    verdict: z
      .object({
        allowed: z.boolean(),
        code: z.string().nullable(),
        message: z.string().nullable(),
      })
      .describe("What the policy says of it as it stands now."),
    decision: decisionSchema.describe("Which rule of the policy decides, as it stands now."),
    approvals: z.int().min(1).describe("How many people must approve it, as the policy stands now."),
    changedSince: z
      .array(z.string())
      .describe(
        "What has changed since the first approval, which no longer counts; empty where nothing has, or there is none.",
      ),
    questions: z.array(questionSchema).describe("To the operator, oldest first."),
    claim: claimSchema,
    leaving: z.array(leavingSchema),
    leavingBytes: z.int().describe("Of all stages together, at most."),
    budget: studyBudgetSchema
      .nullable()
      .describe("Null for a study that this hospital is no part of, or that has ended."),
    budgetFault: z
      .string()
      .nullable()
      .describe("Why nobody can approve it: the budget has too little left. Null where it has enough."),
    explanation: z.array(sectionSchema).readonly(),
  })
  .meta({
    id: "ExplainedStudy",
    description: "A study in plain words, by the site's own reading of the plan.",
  });
export type ExplainedStudyView = z.output<typeof explainedStudySchema>;

export const decidedSchema = z
  .object({
    study: explainedStudySchema,
    connected: z.boolean().describe("Whether the aggregator could be told at once; if not, it asks again."),
  })
  .meta({ id: "Decided", description: "Of a decision that was taken." });

export type DecidedView = z.output<typeof decidedSchema>;
