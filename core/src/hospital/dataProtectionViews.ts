import { z } from "zod";
import { claimSchema } from "../study/planViews.js";
import { populationSchema } from "./ledgerViews.js";
import { leavingSchema, siteStudyStatusSchema, statementSchema } from "./studyViews.js";

/**
 * What a hospital's data-protection officer needs for the record of processing (GDPR, Art. 30) and the impact assessment
 * (Art. 35): made from the site's own configuration, policy, ledger and egress log. No value of a table and no
 * number of its rows is in it.
 */

const moment = z.iso.datetime();
const paragraphs = z.array(z.string());

const protectionColumnSchema = z
  .object({
    name: z.string(),
    /** As the format or the study declares it; `any` where the format does not say. */
    type: z.string(),
  })
  .meta({ id: "ProtectionColumn" });

const protectionTableSchema = z
  .object({
    name: z.string(),
    /** Where it is, in words; without path, query or credentials. */
    source: z.string(),
    /** Empty where it could not be read when the document was made. */
    columns: z.array(protectionColumnSchema),
    population: z.string(),
    /** What the policy says of the columns that studies may name; null where it allows all. */
    columnRule: z.string().nullable(),
    /** Columns that studies which this hospital joined have read. */
    columnsRead: z.array(z.string()),
    /** Columns that studies have named as saying whose row it is. */
    patientColumns: z.array(z.string()),
  })
  .meta({ id: "ProtectionTable" });
export type ProtectionTable = z.output<typeof protectionTableSchema>;

/** Messages of one kind for one recipient, from the egress log. */
const protectionEgressSchema = z
  .object({
    what: z.string(),
    whom: z.string(),
    messages: z.int(),
    bytes: z.int(),
    /** Whether the ledger charged for them: only what says something of records is. */
    charged: z.boolean(),
  })
  .meta({ id: "ProtectionEgress" });
export type ProtectionEgress = z.output<typeof protectionEgressSchema>;

export const protectionStudySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    status: siteStudyStatusSchema,
    /** The status as the end of a sentence. */
    words: z.string(),
    /** Whether this hospital took part. */
    joined: z.boolean(),
    /** The purpose, as the study gives it. */
    title: z.string().nullable(),
    description: z.string().nullable(),
    creator: z.string().nullable(),
    /** Who wants it and on what ground, as far as its text states it. */
    request: z.array(statementSchema),
    analysis: z.string(),
    method: z.string(),
    variant: z.string(),
    table: z.string(),
    population: z.string(),
    /** Features and label. */
    columns: z.array(protectionColumnSchema),
    /** The cohort, and how the columns are made of the table's; empty where it takes the table as it is. */
    recoding: z.array(z.string()),
    patient: z.object({ column: z.string(), maxRows: z.int() }).nullable(),
    maxRows: z.int(),
    minimumSites: z.int(),
    /** So many hospitals may work together with the aggregator. */
    withstands: z.int(),
    /** Who may read the release. */
    readers: z.enum(["open", "token"]),
    offeredAt: moment,
    endedAt: moment.nullable(),
    decision: z.object({
      outcome: z.enum(["joined", "refused", "open"]),
      /** The account of the person; null where a rule of the policy decided, or nobody has. */
      person: z.string().nullable(),
      at: moment.nullable(),
      code: z.string().nullable(),
      /** As the person wrote it. */
      reason: z.string().nullable(),
    }),
    claim: claimSchema,
    /** The same words as the approval page's. */
    leaving: z.array(leavingSchema),
    cost: paragraphs,
    /** What the ledger has charged for it so far: ε of the proven part at the population's δ, and releases without proof. */
    spent: z.object({ epsilon: z.number(), delta: z.number(), unproved: z.int() }),
    left: z.array(protectionEgressSchema),
  })
  .meta({ id: "ProtectionStudy" });
export type ProtectionStudy = z.output<typeof protectionStudySchema>;

/** One category of data sent by the agent's process. */
const protectionFlowSchema = z
  .object({
    name: z.string(),
    what: z.string(),
    to: z.string(),
    when: z.string(),
    /** Whose personal data may be in it, and in what form. */
    personal: z.string(),
    protection: z.string(),
    /** So far, of all studies; null for what is not logged one by one. */
    sent: z.object({ messages: z.int(), bytes: z.int() }).nullable(),
  })
  .meta({ id: "ProtectionFlow" });
export type ProtectionFlow = z.output<typeof protectionFlowSchema>;

const protectionRecipientSchema = z
  .object({ who: z.string(), receives: z.string() })
  .meta({ id: "ProtectionRecipient" });

const protectionRetentionSchema = z
  .object({
    what: z.string(),
    where: z.string(),
    holds: z.string(),
    howLong: z.string(),
    removal: z.string(),
    growsWithoutLimit: z.boolean(),
  })
  .meta({ id: "ProtectionRetention" });
export type ProtectionRetention = z.output<typeof protectionRetentionSchema>;

/** A titled list of whole sentences. */
const protectionTopicSchema = z.object({ title: z.string(), paragraphs }).meta({ id: "ProtectionTopic" });
export type ProtectionTopic = z.output<typeof protectionTopicSchema>;

export const dataProtectionSchema = z
  .object({
    madeAt: moment,
    /** Of the agent, and of the aggregator where the agent runs and is connected. */
    software: z.string(),
    aggregatorSoftware: z.string().nullable(),
    /** `at rest`: from the state folder, without a running agent. */
    madeFrom: z.enum(["running agent", "at rest"]),
    hospital: z.object({
      site: z.string(),
      federation: z.string(),
      /** `host:port`. */
      aggregator: z.string(),
      /** SHA-256 of the federation's root certificate. */
      rootFingerprint: z.string(),
      signingKeyFingerprint: z.string(),
      certificateExpiresAt: moment,
    }),
    tables: z.array(protectionTableSchema),
    studies: z.array(protectionStudySchema),
    /** Further ones, which the document was not asked for. */
    studiesLeftOut: z.int(),
    /** Studies that did not run here and of whose text nothing is kept, by the code of their refusal. */
    studiesWithoutText: z.array(z.object({ code: z.string().nullable(), studies: z.int() })),
    flows: z.array(protectionFlowSchema),
    /** What this configuration rules out. */
    notFlowing: z.array(z.string()),
    neverLeaves: z.array(z.string()),
    comesIn: z.array(z.string()),
    recipients: z.array(protectionRecipientSchema),
    guarantees: z.array(protectionTopicSchema),
    populations: z.array(populationSchema),
    notCovered: z.array(z.string()),
    retention: z.array(protectionRetentionSchema),
    measures: z.array(protectionTopicSchema),
    /** What this configuration leaves open, each with what to do. */
    gaps: z.array(z.string()),
    /** What nobody but the officer can write. */
    officer: z.array(protectionTopicSchema),
  })
  .meta({ id: "DataProtection" });
export type DataProtectionView = z.output<typeof dataProtectionSchema>;

/** Which studies the document lists; all else in it is about the whole site. */
export const dataProtectionScopeSchema = z.object({
  /** One alone. */
  study: z.string().max(100).optional(),
  /** Those that had not ended before this day, UTC. */
  since: z.iso.date().optional(),
});
export type DataProtectionScope = z.output<typeof dataProtectionScopeSchema>;

export const dataProtectionAnswerSchema = z
  .object({
    document: dataProtectionSchema,
    /** The same to read and to file. */
    markdown: z.string(),
  })
  .meta({ id: "DataProtectionAnswer" });
