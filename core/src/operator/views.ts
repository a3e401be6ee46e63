import { z } from "zod";
import { errorCodeSchema, type FailureView, failureSchema } from "../failure.js";
import { claimSchema, disclosureSchema } from "../study/planViews.js";
import { type StudyStatus, studyStatuses } from "./studyStatuses.js";
import { admitsSchema } from "./tableViews.js";

/**
 * What the aggregator's operator API shows, as JSON: the command line and the console read the same. The document
 * runtime/src/http/openapi/operator.json lists the routes.
 */
export type ErrorView = FailureView;

const moment = z.iso.datetime();
const bytes = z.int().min(0);

export const federationViewSchema = z
  .object({
    federation: z.string().describe("The federation's name."),
    rootFingerprint: z.string().describe("SHA-256 of the root certificate, hexadecimal."),
    rootPem: z
      .string()
      .describe("The root certificate in PEM, for those who verify releases and trust the operator."),
    software: z.string().describe("The aggregator's version."),
    grpcAddress: z.string().describe("`host:port` that sites dial."),
    publisher: z
      .string()
      .nullable()
      .describe("`host:port` of the publisher, where releases are deposited; null without one."),
    expelledList: z
      .object({
        number: z.int().describe("Grows by one with every list."),
        sites: z.int().describe("How many keys it names."),
        nextUpdate: moment
          .nullable()
          .describe(
            "By when the authority is to sign it again: sites take part in no new study after that. Null of a list without dates.",
          ),
      })
      .nullable()
      .describe("The list of expelled sites that is in force; null without one."),
  })
  .meta({ id: "Federation" });
export type FederationView = z.output<typeof federationViewSchema>;

const sitePresenceSchema = z.enum(["online", "slow", "refused", "gone", "invited", "expelled"]).meta({
  id: "SitePresence",
  description:
    "`slow`: connected, but its last heartbeat is overdue. `refused`: its newest greeting was refused, with the code in `turnedAway`. `gone`: was connected. `invited`: never enrolled yet.",
});
export type SitePresence = z.output<typeof sitePresenceSchema>;

/** Why a site that dials in is turned away. */
const siteRefusal = z.object({ code: z.string(), message: z.string(), at: moment });

const behindSchema = z.object({
  what: z.string().describe("`plan` or `statement`, a format; else a method, by its edition."),
  speaks: z.int().describe("The newest that the site speaks."),
  newest: z.int().describe("The newest that the aggregator speaks."),
});
export type BehindView = z.output<typeof behindSchema>;

export const siteViewSchema = z
  .object({
    id: z.string(),
    presence: sitePresenceSchema,
    lastSeenAt: moment.nullable().describe("Null: never."),
    software: z.string().nullable().describe("The agent's version, as it said last."),
    clockSkewMs: z
      .number()
      .nullable()
      .describe("How far the site's clock is before the aggregator's, by its last heartbeat."),
    agentsAlternatedAt: moment
      .nullable()
      .describe(
        "When two agents with this site's identity last ended each other's connection; null: not in the last hour.",
      ),
    certificateExpiresAt: moment.nullable(),
    signingKeyFingerprint: z
      .string()
      .nullable()
      .describe("Of the key with which the site signs; null before it has enrolled."),
    keySince: moment.nullable().describe("Since when this key is in force."),
    keyReplaced: z
      .object({ signingKeyFingerprint: z.string(), at: moment })
      .nullable()
      .describe("The key that this one replaced, and when; null where it replaced none."),
    behind: z
      .array(behindSchema)
      .readonly()
      .describe("Where the software of the site's last greeting is behind the aggregator's."),
    admits: admitsSchema
      .nullable()
      .describe("What the hospital's policy lets studies ask; null where it does not say."),
    tables: z.array(z.string()).readonly().describe("Names of the tables that the site offers."),
    turnedAway: siteRefusal
      .nullable()
      .describe("Why its newest greeting was refused; null once the site is in."),
  })
  .meta({ id: "Site" });
export type SiteView = z.output<typeof siteViewSchema>;

export const existingSite = z
  .enum(["refuse", "replace", "same-key"])
  .describe(
    "What the invitation may do to what there is. `refuse`, the default: nothing; an enrolled site answers SITE_ENROLLED, an open invitation INVITATION_OPEN. `replace`: it withdraws the open invitation, and its token may replace the key that is enrolled now. `same-key`: its token serves the enrolled key only, such as one whose certificate has expired.",
  );
export type ExistingSite = z.output<typeof existingSite>;

export const invitationViewSchema = z
  .object({
    site: z.string(),
    token: z.string().describe("Enrols the site once; shown this once."),
    expiresAt: moment,
    replacesKey: z
      .string()
      .nullable()
      .describe("Fingerprint of the enrolled key that the token may replace; null: none."),
  })
  .meta({ id: "Invitation" });
export type InvitationView = z.output<typeof invitationViewSchema>;

export const retentionViewSchema = z
  .object({
    failedStudiesMs: z
      .number()
      .nullable()
      .describe("How long a failed study can be resumed; null: as long as it says itself."),
    studyRecordsMs: z
      .number()
      .nullable()
      .describe("How long details of ended studies are kept; null: permanently."),
    due: z
      .array(z.object({ study: z.string(), what: z.enum(["working data", "study records"]) }))
      .describe("What is due to be removed, oldest first."),
  })
  .meta({ id: "Retention" });
export type RetentionView = z.output<typeof retentionViewSchema>;

export type { StudyStatus };

const studyStatusSchema = z.enum(studyStatuses).meta({ id: "StudyStatus" });

export const studySummarySchema = z
  .object({
    id: z.string(),
    name: z.string().describe("The study file's `name`."),
    analysis: z.string(),
    method: z.string(),
    variant: z.string(),
    status: studyStatusSchema,
    createdAt: moment,
    endedAt: moment.nullable().describe("Null while the study runs."),
    waiting: failureSchema
      .nullable()
      .describe(
        "What the study waits for without a deadline, such as room on a disk (DISK_FULL); it continues by itself. Null otherwise.",
      ),
    sites: z.int().describe("Sites on the roster; before it is fixed, sites that were invited."),
    releaseUrl: z.string().nullable().describe("Address of the release; null unless the study is released."),
    verdict: claimSchema.shape.verdict.describe(
      "What is proven of the study's privacy, as its `claim` says.",
    ),
  })
  .meta({ id: "StudySummary" });
export type StudySummary = z.output<typeof studySummarySchema>;

export const studyOrderSchema = z.enum(["newest", "oldest", "ended", "name", "longest"]);
export type StudyOrder = z.output<typeof studyOrderSchema>;

const filterText = z.string().max(200).optional();

/** Which studies to list. What is left out does not filter. */
export const studyQuery = z.object({
  status: z
    .union([studyStatusSchema, z.array(studyStatusSchema).min(1).max(studyStatuses.length)])
    .optional()
    .describe("only studies of this status; may be given several times"),
  analysis: filterText.describe("only this analysis, such as `pca`"),
  method: filterText.describe("only this method, such as `dp-pca`"),
  variant: filterText.describe("only this variant of a method"),
  name: filterText.describe("only studies whose name contains this"),
  q: filterText.describe("words that must all occur in the id, the analysis or the method"),
  id: filterText.describe("only ids that start with this"),
  order: studyOrderSchema
    .default("newest")
    .describe(
      "`ended`: those that run first, then the last ended; `name`: by id, which begins with the name",
    ),
  after: filterText.describe("id of the last study of the page before"),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});
export type StudyQuery = z.output<typeof studyQuery>;

export const siteStepStateSchema = z
  .enum([
    "invited",
    "awaiting approval",
    "accepted",
    "refused",
    "working",
    "uploading",
    "done",
    "failed",
    "dropped",
    "left out",
  ])
  .meta({
    id: "SiteStepState",
    description:
      "What one site is doing in the open step. `awaiting approval`: its policy allows the study, and a person there has yet to decide. `dropped`: the step continued without the site.",
  });
export type SiteStepState = z.output<typeof siteStepStateSchema>;

const studySiteViewSchema = z
  .object({
    site: z.string(),
    presence: sitePresenceSchema,
    state: siteStepStateSchema,
    workingSince: moment
      .nullable()
      .describe(
        "Since when the site works on the open step, by the aggregator's clock. How far it is it does not say: that would tell how many rows it has.",
      ),
    receivedBytes: bytes.describe("Of the open step's upload."),
    expectedBytes: bytes,
    code: errorCodeSchema
      .nullable()
      .describe("Why the site refused or failed: a code, never a detail of its data."),
    mayPublishRefusal: z
      .boolean()
      .describe("Whether the hospital's policy lets the code of its refusal be published."),
  })
  .meta({ id: "StudySite" });
export type StudySiteView = z.output<typeof studySiteViewSchema>;

const stepKindSchema = z
  .enum([
    "join",
    "exchange",
    "keys",
    "shares",
    "sum",
    "survivors",
    "unmask",
    "rows",
    "tags",
    "countersign",
    "compute",
    "deposit",
  ])
  .meta({
    id: "StepKind",
    description: "`keys` to `unmask` are the phases of a secure sum; `sum` is that of the masked vectors.",
  });

const stepViewSchema = z
  .object({
    id: z.string(),
    kind: stepKindSchema,
    stage: z
      .string()
      .nullable()
      .describe("The stage of the plan that the step belongs to; null where it is no part of one."),
    attempt: z.int().describe("From 1; the newest."),
    dropped: z
      .array(z.string())
      .readonly()
      .describe("Sites that this attempt continued without, from this step on."),
    status: z.enum(["waiting", "open", "done"]),
    seconds: z.number().nullable(),
    received: z
      .record(z.string(), bytes)
      .readonly()
      .describe("Bytes of each site's complete upload, by site; empty for steps without uploads."),
  })
  .meta({ id: "Step" });
export type StepView = z.output<typeof stepViewSchema>;

export const studyViewSchema = studySummarySchema
  .extend({
    hash: z.string().describe("SHA-256 of the canonical study: every message of the study is bound to it."),
    study: z.unknown().describe("The study, canonical JSON."),
    steps: z.array(stepViewSchema).readonly(),
    deadlineAt: moment.nullable().describe("The open step's deadline; null when nothing is waited for."),
    atDeadline: z.string().nullable().describe("What happens at the deadline, in words."),
    siteStates: z.array(studySiteViewSchema).readonly(),
    claim: claimSchema.describe("What is proven of the study's privacy."),
    seconds: z.number().describe("Since the study began, or from then to its end."),
    rows: z.int().nullable().describe("Rows of the release; null before there is one."),
    failure: failureSchema.nullable().describe("Why the study failed."),
    release: z.object({ id: z.string(), url: z.string() }).nullable(),
  })
  .meta({ id: "Study" });
export type StudyView = z.output<typeof studyViewSchema>;

export const studyTimesSchema = z
  .object({
    steps: z
      .array(
        z.object({
          id: z.string().describe("As the study's `steps` have it."),
          seconds: z
            .record(z.string(), z.number())
            .readonly()
            .describe(
              "By site: from the opening of the step's newest attempt to the site's answer, by the aggregator's clock. Sites that have not answered are missing.",
            ),
        }),
      )
      .readonly(),
    refused: z
      .array(
        z.object({
          site: z.string(),
          seconds: z.number().describe("From the opening of the step `join` to the refusal."),
          code: z.string().describe("`REFUSED_BY_SITE` where a person denied the study."),
        }),
      )
      .readonly()
      .describe("Sites that took no part."),
  })
  .meta({ id: "StudyTimes", description: "How long each site took to answer each step that was opened." });
export type StudyTimesView = z.output<typeof studyTimesSchema>;

export const planViewSchema = z
  .object({
    name: z.string(),
    hash: z.string(),
    claim: claimSchema,
    warnings: z.array(z.string()).readonly().describe("What somebody should know before the study starts."),
    uploadBytesPerSite: bytes.describe("What each site sends in all stages together."),
    thresholds: z
      .array(z.object({ sites: z.int(), threshold: z.int() }))
      .readonly()
      .describe(
        "For some numbers of sites on the roster, how many of them must stay to the end of every sum.",
      ),
    stages: z
      .array(
        z.object({
          id: z.string(),
          kind: z.string(),
          length: z.int().nullable(),
          uploadBytes: bytes,
          disclosure: disclosureSchema,
        }),
      )
      .readonly(),
  })
  .meta({ id: "Plan" });
export type PlanView = z.output<typeof planViewSchema>;
