import { z } from "zod";
import { countedSchema, findingSchema } from "../release/finding.js";
import { flowSchema } from "../release/flowSchema.js";
import { modelCardSchema } from "../release/modelCard.js";
import { shownFigureSchema } from "../release/shownFigures.js";
import { precisionCaseSchema } from "../study/expectedPrecision.js";
import { planViewSchema, siteStepStateSchema, siteViewSchema, studySummarySchema } from "./views.js";

/** What the operator's console is shown beside `views.ts`. */

const moment = z.iso.datetime();

/** A key that another enrolment replaced, and that still tries to connect. */
const displacedKeySchema = z.object({
  signingKeyFingerprint: z.string(),
  from: z.string().describe("Address of the newest attempt."),
  attempts: z.int().describe("Since `firstAt`."),
  firstAt: moment.describe("Since the aggregator was started."),
  lastAt: moment,
});

/** What is waited for of one site in a study. */
const siteActivity = z.object({ study: z.string(), step: z.string(), state: siteStepStateSchema });
export type SiteActivity = z.output<typeof siteActivity>;

const consoleSiteSchema = siteViewSchema
  .extend({
    doing: z.array(siteActivity).readonly().describe("At this moment, in each study."),
    displacedKey: displacedKeySchema
      .nullable()
      .describe(
        "The site's former key, where somebody still tries to connect with it; null where nobody does. If the hospital did not enrol again itself, its identity was taken.",
      ),
    invitedUntil: moment
      .nullable()
      .describe("Until when its newest unused invitation holds; null where there is none."),
  })
  .meta({ id: "ConsoleSite" });
export type ConsoleSiteView = z.output<typeof consoleSiteSchema>;

const runningStudySchema = studySummarySchema
  .extend({
    minimumSites: z.int(),
    participants: z
      .array(z.string())
      .readonly()
      .describe("Sites that were invited, or are on the roster once it is fixed."),
    online: z.int().describe("Of these, how many are connected now."),
    step: z.string().nullable().describe("The open step; null between steps."),
    waitingFor: z.array(z.string()).readonly().describe("Sites whose part of the open step is missing."),
    deadlineAt: moment.nullable().describe("The open step's deadline."),
    stepsDone: z.int(),
    steps: z.int(),
  })
  .meta({ id: "RunningStudy" });
export type RunningStudyView = z.output<typeof runningStudySchema>;

export const consoleSchema = z
  .object({
    now: moment,
    software: z.string(),
    sites: z.array(consoleSiteSchema).readonly(),
    running: z.array(runningStudySchema).readonly(),
    ended: z.array(studySummarySchema).readonly().describe("The newest that have ended."),
  })
  .meta({ id: "Console", description: "The federation at this moment." });
export type ConsoleView = z.output<typeof consoleSchema>;

const knownRowsSchema = z
  .object({
    rows: z.int().describe("Of all sites together."),
    study: z.string().describe("The former study on this table that says so, by its id."),
    from: z
      .enum(["released", "expected"])
      .describe("`released`: it counted them, with noise. `expected`: its operator expected so many."),
    sites: z.int().describe("Sites that took part in it."),
  })
  .meta({ id: "KnownRows" });
export type KnownRowsView = z.output<typeof knownRowsSchema>;

export const studyCheckSchema = z
  .object({
    issues: z.array(z.object({ path: z.string(), message: z.string() })).readonly(),
    plan: planViewSchema.nullable(),
    parameters: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        "The method's parameters with what the file leaves out filled in; null where the file has faults.",
      ),
    precision: z
      .array(precisionCaseSchema)
      .readonly()
      .describe(
        "What precision to expect, line by line, at best and as is likely: by the rows that the study expects, or else for several numbers of rows that each site may have, the fewest first. One case without lines where there is nothing to expect, with a remark why; empty for a file with faults.",
      ),
    knownRows: knownRowsSchema
      .nullable()
      .describe(
        "How many rows the table may be expected to have, for a file that does not say it; null where nothing says it.",
      ),
    open: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .readonly()
      .describe(
        "What keeps a file without faults from being started, by its place, such as its title or a column that sites do not have; `obstacle` has the first of them.",
      ),
    sites: z
      .object({ asked: z.array(z.string()).readonly(), online: z.int() })
      .describe("Sites that would be asked, and how many of them are connected now."),
    obstacle: z
      .string()
      .nullable()
      .describe(
        "What keeps the study from being started now, such as a column that its sites do not have; null where nothing does.",
      ),
  })
  .meta({
    id: "StudyCheck",
    description: "A study's file, read but not started: what is wrong with it, or what it would do and cost.",
  });
export type StudyCheckView = z.output<typeof studyCheckSchema>;

export const studyResultSchema = z
  .object({
    columns: z
      .array(z.object({ name: z.string(), description: z.string() }))
      .describe("What its rows are; empty for a release without rows."),
    rows: z.int(),
    figures: z.array(shownFigureSchema),
    card: modelCardSchema.nullable(),
    finding: findingSchema.optional(),
    counted: z.array(countedSchema).optional(),
    flow: flowSchema.optional(),
    notes: z.array(z.string()),
    records: z
      .number()
      .optional()
      .describe("How many records were counted in all, with noise, where the method releases that."),
  })
  .meta({ id: "StudyResult" });
export type StudyResultView = z.output<typeof studyResultSchema>;

const invitationState = z.enum(["open", "used", "expired", "withdrawn"]);
export type InvitationState = z.output<typeof invitationState>;

export const invitationListEntrySchema = z
  .object({
    id: z.string().describe("The start of the token's hash."),
    site: z.string(),
    state: invitationState.describe(
      "`open`: its token can still be used. `withdrawn`: by an operator, or because a newer one replaced it.",
    ),
    expiresAt: moment,
    usedAt: moment.nullable(),
    replacesKey: z
      .string()
      .nullable()
      .describe("Fingerprint of the enrolled key that the token may replace; null: none."),
  })
  .meta({ id: "InvitationListEntry" });
export type InvitationListEntry = z.output<typeof invitationListEntrySchema>;

/** What the aggregator has signed of a release since its publication. */
export const releaseWithdrawalSchema = z
  .object({
    release: z.string(),
    status: z.enum(["withdrawn", "superseded"]),
    reason: z.string(),
    supersededBy: z.string().nullable(),
    issuedAt: z.string(),
    actor: z.string().describe("Who asked for it."),
    deliveredAt: z
      .string()
      .nullable()
      .describe("Null while the publisher does not answer; the aggregator tries again by itself."),
  })
  .meta({ id: "ReleaseWithdrawal" });

export type ReleaseWithdrawal = z.output<typeof releaseWithdrawalSchema>;
