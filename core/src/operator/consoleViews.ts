import { z } from "zod";
import { modelCardSchema } from "../release/modelCard.js";
import { shownFigureSchema } from "../release/shownFigures.js";
import { planViewSchema, siteStepStateSchema, siteViewSchema, studySummarySchema } from "./views.js";

/** What the operator's console is shown beside `views.ts`. */

const moment = z.iso.datetime();

/** Beyond this a site's clock is called wrong: certificates and signatures are judged by it. */
export const clockSkewWarnMs = 60_000;
/** A site's certificate renews itself long before; one that has less left has not been renewed. */
export const certificateWarnMs = 3 * 86_400_000;

/** Why a site that dials in is turned away. */
const siteRefusal = z.object({ code: z.string(), message: z.string(), at: moment });

/** What is waited for of one site in a study. */
const siteActivity = z.object({ study: z.string(), step: z.string(), state: siteStepStateSchema });
export type SiteActivity = z.output<typeof siteActivity>;

export const consoleSiteSchema = siteViewSchema
  .extend({
    /** At this moment, in each study. */
    doing: z.array(siteActivity).readonly(),
    /** Null once the site is in. */
    turnedAway: siteRefusal.nullable(),
    /** Until when its newest unused invitation holds; null where there is none. */
    invitedUntil: moment.nullable(),
  })
  .meta({ id: "ConsoleSite" });
export type ConsoleSiteView = z.output<typeof consoleSiteSchema>;

export const runningStudySchema = studySummarySchema
  .extend({
    minimumSites: z.int(),
    /** Sites that were invited, or are on the roster once it is fixed. */
    participants: z.array(z.string()).readonly(),
    /** Of these, how many are connected now. */
    online: z.int(),
    /** The open step; null between steps. */
    step: z.string().nullable(),
    waitingFor: z.array(z.string()).readonly(),
    deadlineAt: moment.nullable(),
    stepsDone: z.int(),
    steps: z.int(),
  })
  .meta({ id: "RunningStudy" });
export type RunningStudyView = z.output<typeof runningStudySchema>;

/** The federation at this moment. */
export const consoleSchema = z
  .object({
    now: moment,
    software: z.string(),
    sites: z.array(consoleSiteSchema).readonly(),
    running: z.array(runningStudySchema).readonly(),
    /** The newest that have ended. */
    ended: z.array(studySummarySchema).readonly(),
  })
  .meta({ id: "Console" });
export type ConsoleView = z.output<typeof consoleSchema>;

/** A study's file, read but not started: what is wrong with it, or what it would do and cost. */
export const studyCheckSchema = z
  .object({
    issues: z.array(z.object({ path: z.string(), message: z.string() })).readonly(),
    plan: planViewSchema.nullable(),
    /** Sites that would be asked, and how many of them are connected now. */
    sites: z.object({ asked: z.array(z.string()).readonly(), online: z.int() }),
    /** What keeps the study from being started now; null where nothing does. */
    obstacle: z.string().nullable(),
  })
  .meta({ id: "StudyCheck" });
export type StudyCheckView = z.output<typeof studyCheckSchema>;

export const studyResultSchema = z
  .object({
    /** What its rows are; empty for a release without rows. */
    columns: z.array(z.object({ name: z.string(), description: z.string() })),
    rows: z.int(),
    figures: z.array(shownFigureSchema),
    card: modelCardSchema.nullable(),
    notes: z.array(z.string()),
  })
  .meta({ id: "StudyResult" });
export type StudyResultView = z.output<typeof studyResultSchema>;

export const invitationListEntrySchema = z
  .object({
    /** The start of the token's hash. */
    id: z.string(),
    site: z.string(),
    /** `open`: whoever has the token may enrol with it. */
    state: z.enum(["open", "used", "expired"]),
    expiresAt: moment,
    usedAt: moment.nullable(),
  })
  .meta({ id: "InvitationListEntry" });
export type InvitationListEntry = z.output<typeof invitationListEntrySchema>;
