import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { AnySaid } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { canonicalJson } from "../canonicalJson.js";
import { parseSiteId, type Sha256, type SiteId } from "../ids.js";
import * as limits from "../limits.js";
import type { Method, methodKey } from "../method/method.js";
import { omopPlanSchema } from "../omop/plan.js";
import { lines, nameOf, sentences } from "../said.js";
import { parseDuration } from "../units.js";
import { featureSchema, freeText, labelSchema, readColumns } from "./features.js";
import type { OnRoster } from "./onRoster.js";
import type { StagePlan } from "./plan.js";
import { requestSchema } from "./request.js";

const line = lines<StudyFaultSays>();
const fault = sentences<StudyFaultSays>();

const name = z
  .string()
  .max(limits.maxStudyNameLength)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, line("fault.study-name", {}))
  .describe(
    "What the study is called: small letters, digits and single hyphens. Its id and its release's address begin with it.",
  );

/** A site's id in a study's text. */
export const siteIdText = z.string().transform((raw, context): SiteId => {
  const parsed = parseSiteId(raw);
  if (parsed.ok) return parsed.value;
  context.addIssue({ code: "custom", message: parsed.error.message });
  return z.NEVER;
});

const duration =
  (minMs: number, maxMs: number) =>
  (text: string, context: z.RefinementCtx): number => {
    const parsed = parseDuration(text);
    if (!parsed.ok) {
      context.addIssue({ code: "custom", message: parsed.error.message });
      return z.NEVER;
    }
    if (parsed.value < minMs || parsed.value > maxMs) {
      context.addIssue({
        code: "custom",
        message: line("fault.duration", { min: minMs, max: maxMs }),
      });
      return z.NEVER;
    }
    return parsed.value;
  };

const participation = z
  .strictObject({
    sites: z
      .array(siteIdText)
      .min(1)
      .max(limits.maxSites)
      .optional()
      .describe("Which sites are invited; left out, all enrolled ones."),
    minimumSites: z
      .int()
      .min(3, line("fault.sites-three", {}))
      .max(limits.maxSites)
      .default(3)
      .describe("With fewer sites the study does not run."),
    tolerateColluding: z
      .int()
      .min(0)
      .max(limits.maxSites)
      .default(1)
      .describe("Number of sites that may collude with the aggregator without exposing another site's data."),
    maxRowsPerSite: z
      .int()
      .min(2)
      .max(limits.maxRowsOfSite)
      .describe(
        "Fixes ring width and quantisation. A hospital with more rows draws a sample where it has said how long its table is; beyond it, sums of a sound study may wrap around, and other studies refuse the table.",
      ),
    expectedRows: z
      .int()
      .min(1)
      .max(limits.maxExpectedRows)
      .optional()
      .describe(
        "How many rows all sites together are thought to have: public, and used for the plan's warnings and for what methods choose by it beforehand; where patients are weighed, as the most patients that there may be. Left out: half of the most that there may be.",
      ),
    expectedEvents: z
      .int()
      .min(1)
      .max(limits.maxExpectedRows)
      .optional()
      .describe(
        "How many of `expectedRows` are thought to have the event that the study is about, or, of a Poisson regression, how many events they are thought to have together: public, as those are, and used like them. Left out: unknown.",
      ),
    phaseDeadline: z
      .string()
      .default("10m")
      .transform(duration(limits.minPhaseMs, limits.maxPhaseMs))
      .describe("How long each step waits for the sites, such as 90s, 10m or 2h."),
    joinDeadline: z
      .string()
      .transform(duration(limits.minJoinMs, limits.maxJoinMs))
      .optional()
      .describe(
        "How long hospitals may take to decide. Left out: 7 days, for in any hospital a person may have to. The study begins as soon as all have decided.",
      ),
    resumableFor: z
      .string()
      .transform(duration(limits.minResumableMs, limits.maxResumableMs))
      .optional()
      .describe("How long after a failure it can be resumed, at most; then its working data are removed."),
  })
  .refine((p) => p.tolerateColluding <= p.minimumSites - 2, {
    path: ["tolerateColluding"],
    message: line("fault.colluding-honest", {}),
  })
  .refine((p) => (p.expectedRows ?? 0) <= p.maxRowsPerSite * (p.sites?.length ?? limits.maxSites), {
    path: ["expectedRows"],
    message: line("fault.rows-beyond", {}),
  })
  .refine((p) => p.sites === undefined || new Set(p.sites).size === p.sites.length, {
    path: ["sites"],
    message: line("fault.sites-once", {}),
  })
  .refine((p) => p.sites === undefined || p.sites.length >= p.minimumSites, {
    path: ["sites"],
    message: line("fault.sites-few", {}),
  });

const privacy = z.union(
  [
    z.literal("none"),
    z.strictObject({
      epsilon: z
        .number()
        .positive()
        .max(1000)
        .describe("The privacy cost to one record or patient; smaller is safer and noisier."),
      delta: z
        .number()
        .gt(0)
        .lt(1)
        .describe("How probable it is that this fails: well below 1 in the number of patients."),
      rho: z
        .number()
        .positive()
        .max(1e6)
        .optional()
        .describe(
          "ρ that the stages share, and that ledgers charge. Left out: what zCDP allows at epsilon and delta. More is accepted where the plan's exact loss distribution stays within epsilon: `consilium study calibrate` finds it.",
        ),
    }),
  ],
  line("fault.privacy", {}),
);

/**
 * The greatest δ of a study whose privacy is proven. With probability δ the guarantee may fail altogether, so that it has
 * to lie below one in the number of patients; and a great δ buys a small ε for almost no noise.
 */
const soundDeltaMax = 1e-3;

const release = z.strictObject({
  title: freeText(200).min(1).optional().describe("The release's title in the catalogue."),
  description: freeText(4000).optional().describe("What the release holds, in a few sentences."),
  license: freeText(200).optional().describe("Such as CC-BY-4.0; without, readers ask `request.contact`."),
  creator: freeText(200).optional().describe("Whom to cite: `Family, Given (affiliation); …`, or a name."),
  access: z
    .enum(["open", "token"])
    .default("open")
    .describe("`open`, or `token`: readers need one of the publisher's tokens for this release."),
  sums: z
    .boolean()
    .default(false)
    .describe(
      "Whether the release holds the noisy sums of every stage, so that anybody computes the result from them anew (`consilium release replay`). Only where every stage is a proven sum with noise.",
    ),
});

/**
 * Whose privacy a study protects when rows are not persons: with it, the unit is the patient within one site. A site
 * uses at most `maxRows` rows of each patient. Either each of a patient's rows weighs 1 over their number, or every stage is
 * charged for that many rows.
 */
const patient = (weighing: readonly string[]) =>
  z.strictObject({
    column: z
      .string()
      .min(1)
      .max(limits.maxColumnNameLength)
      .describe("The column that says whose row it is; it is read for nothing else."),
    maxRows: z
      .int()
      .min(1)
      .max(limits.maxRowsOfPatient)
      .describe("A site uses at most so many rows of each patient."),
    weighting: z
      .enum(["patients", "rows"])
      .optional()
      .describe(
        `How several rows of a patient count. \`patients\`: each weighs 1 over the number of the patient's rows that are used, so that sums count patients, and noise is that of one row. \`rows\`: each counts 1, and noise grows with \`maxRows\`. Left out: \`patients\` for the methods that can weigh rows (${weighing.join(", ")}), \`rows\` for the others.`,
      ),
  });

/**
 * The keys that every study has, whatever its method; a method adds its own.
 * @param weighing - names of the methods that can weigh rows by patient
 */
export const commonKeys = (weighing: readonly string[]) => ({
  name,
  table: z
    .string()
    .min(1)
    .max(limits.maxTableNameLength)
    .regex(/^[A-Za-z0-9_-]+$/, line("fault.table-name", {}))
    .describe("The table's name in each site's own configuration."),
  features: z
    .array(featureSchema)
    .min(1, line("fault.feature-needed", {}))
    .max(limits.maxFeatures)
    .describe("The columns that the study reads: numbers with their bounds, categories with their levels."),
  label: labelSchema.optional(),
  columns: readColumns,
  where: freeText(limits.maxConditionLength)
    .min(1)
    .optional()
    .describe(
      'Which rows the study is about, such as `age >= 18 and ward in ("A", "B")`: a condition over its features, label and `columns`. Rows for which it is not true are left out within the sums.',
    ),
  patient: patient(weighing)
    .optional()
    .describe("For tables with several rows of a patient: the unit of privacy is then the patient."),
  omop: omopPlanSchema.optional(),
  request: requestSchema
    .optional()
    .describe("Who wants the study and on what ground. A hospital's policy may require keys of it."),
  privacy: privacy.describe("What the study may cost, or `none` for a study without any privacy."),
  participation: participation.describe("Who takes part, and how long the study waits for them."),
  release: release.default({ access: "open", sums: false }).describe("What readers see in the catalogue."),
  edition: z
    .int()
    .min(2, line("fault.first-edition", {}))
    .max(limits.maxEdition)
    .optional()
    .describe(
      "Of the method, where it has several: what the study's text means. Left out of a new study: the newest that its hospitals' software has; a text that has none is of the first. Hospitals whose software does not have it refuse the study (`STUDY_NEWER`).",
    ),
});

const flow = z
  .literal(true, line("fault.flow", {}))
  .optional()
  .describe(
    "Whether the rows that the study uses and leaves out are counted, by cause, in a sum of their own at 2 % of the study's ρ. New studies have it without writing it.",
  );

/** Published methods keep to their authors' sums. */
export const keysOfVariant = (variant: Variant) => (variant === "sound" ? { flow } : {});

type CommonKeys = z.output<z.ZodObject<ReturnType<typeof commonKeys>>>;

/** `sound`: privacy is proven. `paper`: as a method's authors describe it. */
export const variants = ["sound", "paper"] as const;
export type Variant = (typeof variants)[number];

/** A validated study, defaults filled in, of whichever method: what is common to all. It carries its method. */
export interface Study extends CommonKeys, OnRoster {
  readonly analysis: string;
  readonly method: string;
  readonly variant: Variant;
  readonly parameters: object;
  readonly flow?: true | undefined;
  readonly [methodKey]: Method;
}

/** A study of the method that adds these keys. */
export type StudyWith<Section extends z.ZodRawShape> = Study & z.output<z.ZodObject<Section>>;

export type Privacy = Study["privacy"];

/** Time in which hospitals decide where a study does not say: a person may have to, and no policy is known outside its hospital. */
const defaultJoinMs = 7 * 86_400_000;

/** Time that hospitals have to decide, in milliseconds. */
export function joinMsOf({ participation }: Pick<Study, "participation">): number {
  return participation.joinDeadline ?? defaultJoinMs;
}

/** What is wrong with a new study's δ; releases of earlier versions have greater ones, and still verify. */
export function deltaFault({ variant, privacy }: Pick<Study, "variant" | "privacy">): string | null {
  if (variant !== "sound" || privacy === "none" || privacy.delta <= soundDeltaMax) return null;
  return line("fault.delta", { max: soundDeltaMax });
}

/** Why the sums of a study may not be read by everybody, whose every stage has this plan; null where they may, or nobody asks. */
export function sumsFault(
  { variant, privacy, release }: Study,
  stages: () => readonly StagePlan[],
): AnySaid | null {
  if (!release.sums) return null;
  if (privacy === "none") return fault("fault.sums-without-noise", {});
  if (variant !== "sound") return fault("fault.sums-paper", {});
  const open = stages().find(
    (stage) => stage.kind !== "sum" || stage.terms === undefined || stage.noise === null,
  );
  return open === undefined ? null : fault("fault.sums-stage", { stage: nameOf(open.id) });
}

/**
 * A study as it travels and is hashed: canonical JSON of the study as parsed, defaults included. A text that travelled stays as
 * it is: it may lack keys that are younger.
 */
export interface StudyDocument {
  readonly study: Study;
  readonly text: string;
  readonly hash: Sha256;
}

export function studyDocument(study: Study): StudyDocument {
  const text = canonicalJson(studySource(study));
  return { study, text, hash: sha256(text) };
}

/** A study as a file writes it: durations are milliseconds once parsed and text in a file. Parsing it again gives the same. */
export function studySource(study: Study): unknown {
  const { phaseDeadline, joinDeadline, resumableFor, ...rest } = study.participation;
  const given = Object.entries({ phaseDeadline, joinDeadline, resumableFor }).filter(
    ([, ms]) => ms !== undefined,
  );
  const durations = Object.fromEntries(given.map(([key, ms]) => [key, `${ms}ms`]));
  return { ...study, participation: { ...rest, ...durations } };
}
