import { z } from "zod";
import { errorCodeSchema, type FailureView, failureSchema } from "../failure.js";
import { claimSchema, disclosureSchema } from "../study/planViews.js";

/**
 * What the aggregator's operator API shows, as JSON: the command line and the console read the same. The document
 * runtime/src/http/openapi/operator.json lists the routes.
 */
export type ErrorView = FailureView;

const moment = z.iso.datetime();
const bytes = z.int().min(0);

export const federationViewSchema = z
  .object({
    federation: z.string(),
    rootFingerprint: z.string(),
    software: z.string(),
    grpcAddress: z.string(),
    publisher: z.string().nullable(),
  })
  .meta({ id: "Federation" });
export type FederationView = z.output<typeof federationViewSchema>;

/** `slow`: connected, but its last heartbeat is overdue. `gone`: was connected. `invited`: never enrolled yet. */
export const sitePresenceSchema = z
  .enum(["online", "slow", "gone", "invited", "expelled"])
  .meta({ id: "SitePresence" });
export type SitePresence = z.output<typeof sitePresenceSchema>;

export const siteViewSchema = z
  .object({
    id: z.string(),
    presence: sitePresenceSchema,
    lastSeenAt: moment.nullable(),
    software: z.string().nullable(),
    clockSkewMs: z.number().nullable(),
    certificateExpiresAt: moment.nullable(),
    signingKeyFingerprint: z.string().nullable(),
    tables: z.array(z.string()).readonly(),
  })
  .meta({ id: "Site" });
export type SiteView = z.output<typeof siteViewSchema>;

export const invitationViewSchema = z
  .object({ site: z.string(), token: z.string(), expiresAt: moment })
  .meta({ id: "Invitation" });
export type InvitationView = z.output<typeof invitationViewSchema>;

export const studyStatusSchema = z
  .enum(["inviting", "running", "publishing", "released", "failed", "cancelled"])
  .meta({ id: "StudyStatus" });
export type StudyStatus = z.output<typeof studyStatusSchema>;

export const studySummarySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    analysis: z.string(),
    method: z.string(),
    variant: z.string(),
    status: studyStatusSchema,
    createdAt: moment,
    endedAt: moment.nullable(),
    sites: z.int(),
    releaseUrl: z.string().nullable(),
  })
  .meta({ id: "StudySummary" });
export type StudySummary = z.output<typeof studySummarySchema>;

/**
 * What one site is doing in the open step. `awaiting approval`: its policy allows the study, and a person there has yet
 * to decide. `dropped`: the step went on without the site.
 */
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
  .meta({ id: "SiteStepState" });
export type SiteStepState = z.output<typeof siteStepStateSchema>;

export const studySiteViewSchema = z
  .object({
    site: z.string(),
    presence: sitePresenceSchema,
    state: siteStepStateSchema,
    /** 0 to 1 within the open step. */
    fraction: z.number().min(0).max(1),
    receivedBytes: bytes,
    expectedBytes: bytes,
    /** Why the site refused or failed: a code, never a detail of its data. */
    code: errorCodeSchema.nullable(),
  })
  .meta({ id: "StudySite" });
export type StudySiteView = z.output<typeof studySiteViewSchema>;

/** `keys` to `unmask` are the phases of a secure sum; `sum` is that of the masked vectors. */
export const stepKindSchema = z
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
  .meta({ id: "StepKind" });

export const stepViewSchema = z
  .object({
    id: z.string(),
    kind: stepKindSchema,
    /** The stage of the plan that the step belongs to; null where it is no part of one. */
    stage: z.string().nullable(),
    /** From 1; the newest. */
    attempt: z.int(),
    /** Sites that this attempt went on without, from this step on. */
    dropped: z.array(z.string()).readonly(),
    status: z.enum(["waiting", "open", "done"]),
    seconds: z.number().nullable(),
    /** Bytes of each site's vector or rows that have come whole, by site; empty for steps that take none. */
    received: z.record(z.string(), bytes).readonly(),
  })
  .meta({ id: "Step" });
export type StepView = z.output<typeof stepViewSchema>;

export const studyViewSchema = studySummarySchema
  .extend({
    hash: z.string(),
    /** The study, canonical JSON. */
    study: z.unknown(),
    steps: z.array(stepViewSchema).readonly(),
    /** The open step's deadline; null when nothing is waited for. */
    deadlineAt: moment.nullable(),
    /** What happens at the deadline, in words. */
    atDeadline: z.string().nullable(),
    siteStates: z.array(studySiteViewSchema).readonly(),
    claim: claimSchema,
    seconds: z.number(),
    rows: z.int().nullable(),
    failure: failureSchema.nullable(),
    release: z.object({ id: z.string(), url: z.string() }).nullable(),
  })
  .meta({ id: "Study" });
export type StudyView = z.output<typeof studyViewSchema>;

export const planViewSchema = z
  .object({
    name: z.string(),
    hash: z.string(),
    claim: claimSchema,
    warnings: z.array(z.string()).readonly(),
    uploadBytesPerSite: bytes,
    /** For some numbers of sites on the roster, how many of them must stay to the end of every sum. */
    thresholds: z.array(z.object({ sites: z.int(), threshold: z.int() })).readonly(),
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
