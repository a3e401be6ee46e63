import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { z } from "zod";
import { canonicalJson } from "../canonicalJson.js";
import { ConsiliumError } from "../errors.js";
import { parseSiteId, type Sha256, type SiteId } from "../ids.js";
import { assertNever, err, ok, type Result } from "../result.js";
import { parseDuration } from "../units.js";
import {
  additiveSection,
  boostedTreesIssues,
  cartAdaboostSection,
  histBoostSection,
  withBoostedTreesDefaults,
} from "./boostedTrees.js";
import { correlationTreeIssues, withCorrelationTreeDefaults } from "./correlationTree.js";
import { dpKaSection } from "./dpKa.js";
import { dpPcaSection } from "./dpPca.js";
import { withBallDefault } from "./dpPcaBall.js";
import { dpPccSection } from "./dpPcc.js";
import { dpPccSSection } from "./dpPccS.js";
import { featureSelectionIssues, withFeatureSelectionDefaults } from "./featureSelection.js";
import { featureSchema, freeText, labelSchema } from "./features.js";
import { felpASection } from "./felpA.js";
import { felpSSection } from "./felpS.js";
import { kAnonymousIssues, withKAnonymousDefaults } from "./kAnonymous.js";
import { withNoiseDefaults } from "./noiseDefaults.js";
import type { OnRoster } from "./onRoster.js";
import { paperFelpSection } from "./paperFelp.js";
import { greedyHamdistSection, xgbKaSection } from "./paperKa.js";
import { weightingFault, withWeightingDefault } from "./patientWeights.js";
import { paperPcaSection, pcaIssues, withPcaDefaults } from "./pca.js";
import { pearsonTreeSection } from "./pearsonTree.js";
import { planStudy } from "./plan.js";
import { maxRosterSize } from "./rosterSize.js";

export { maxRosterSize };

const name = z
  .string()
  .max(40, "a study's name has at most 40 characters")
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "a study's name holds a-z, 0-9 and single hyphens")
  .describe(
    "What the study is called: small letters, digits and single hyphens. Its id and its release's address begin with it.",
  );

const siteId = z.string().transform((raw, context): SiteId => {
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
        message: `must lie between ${minMs / 1000}s and ${maxMs / 86_400_000}d`,
      });
      return z.NEVER;
    }
    return parsed.value;
  };

const participation = z
  .strictObject({
    sites: z
      .array(siteId)
      .min(1)
      .max(maxRosterSize)
      .optional()
      .describe("Which sites are invited; left out, all enrolled ones."),
    minimumSites: z
      .int("a whole number of sites")
      .min(3, "at least 3: with two sites a sum shows each one the other's part")
      .max(maxRosterSize)
      .default(3)
      .describe("With fewer sites the study does not run."),
    tolerateColluding: z
      .int()
      .min(0)
      .max(maxRosterSize)
      .default(1)
      .describe("Number of sites that may collude with the aggregator without exposing another site's data."),
    maxRowsPerSite: z
      .int()
      .min(2)
      .max(1_000_000_000)
      .describe(
        "Fixes ring width and quantisation. A hospital with more rows draws a sample where it has said how long its table is; beyond it, sums of a sound study may wrap around, and other studies refuse the table.",
      ),
    expectedRows: z
      .int("a whole number of rows")
      .min(1)
      .max(1_000_000_000_000)
      .optional()
      .describe(
        "How many rows all sites together are thought to have: public, and used for the plan's warnings and for what methods choose by it beforehand; where patients are weighed, as the most patients that there may be. Left out: half of the most that there may be.",
      ),
    phaseDeadline: z
      .string()
      .default("10m")
      .transform(duration(2_000, 7 * 86_400_000))
      .describe("How long each step waits for the sites, such as 90s, 10m or 2h."),
    joinDeadline: z
      .string()
      .transform(duration(2_000, 30 * 86_400_000))
      .optional()
      .describe(
        "How long hospitals may take to decide, where that is longer: people have to. Left out: a phase's deadline.",
      ),
  })
  .refine((p) => p.tolerateColluding <= p.minimumSites - 2, {
    path: ["tolerateColluding"],
    message: "at most minimumSites - 2: two honest sites at least must remain",
  })
  .refine((p) => (p.expectedRows ?? 0) <= p.maxRowsPerSite * (p.sites?.length ?? maxRosterSize), {
    path: ["expectedRows"],
    message: "more than maxRowsPerSite times the sites; correct either",
  })
  .refine((p) => p.sites === undefined || new Set(p.sites).size === p.sites.length, {
    path: ["sites"],
    message: "name each site once",
  })
  .refine((p) => p.sites === undefined || p.sites.length >= p.minimumSites, {
    path: ["sites"],
    message: "fewer sites named than minimumSites",
  });

const privacy = z.union(
  [
    z.literal("none"),
    z.strictObject({
      epsilon: z.number().positive("epsilon must be greater than 0").max(1000),
      delta: z.number().gt(0, "delta must be greater than 0").lt(1, "delta must be less than 1"),
      rho: z
        .number()
        .positive("rho must be greater than 0")
        .max(1e6)
        .optional()
        .describe(
          "ρ that the stages share, and that ledgers charge. Left out: what zCDP allows at epsilon and delta. More is accepted where the plan's exact loss distribution stays within epsilon: `consilium study calibrate` finds it.",
        ),
    }),
  ],
  "either `none` or { epsilon, delta } with epsilon > 0 and 0 < delta < 1",
);

/**
 * The greatest δ of a study whose privacy is proved. With probability δ the guarantee may fail altogether, so that it has
 * to lie below one in the number of patients; and a great δ buys a small ε for almost no noise.
 */
const soundDeltaMax = 1e-3;

const release = z.strictObject({
  title: freeText(200).min(1).optional().describe("The release's title in the catalogue."),
  description: freeText(4000).optional().describe("What the release holds, in a few sentences."),
  license: freeText(200).optional().describe("Such as CC-BY-4.0."),
  creator: freeText(200).optional().describe("Whom to name when it is cited."),
  access: z
    .enum(["open", "token"])
    .default("open")
    .describe("`open`, or `token`: readers need one of the publisher's tokens for this release."),
});

/**
 * Whose privacy a study protects when rows are not persons: with it, the unit is the patient within one site. A site
 * uses at most `maxRows` rows of each patient. Either each of a patient's rows weighs 1 over their number, or every stage is
 * charged for that many rows.
 */
const patient = z.strictObject({
  column: z
    .string()
    .min(1)
    .max(128, "a column's name has at most 128 characters")
    .describe("The column that says whose row it is; it is read for nothing else."),
  maxRows: z
    .int("a whole number of rows")
    .min(1, "at least 1")
    .max(10_000)
    .describe("A site uses at most so many rows of each patient."),
  weighting: z
    .enum(["patients", "rows"])
    .optional()
    .describe(
      "How several rows of a patient count. `patients`: each weighs 1 over the number of the patient's rows that are used, so that sums count patients, and noise is that of one row. `rows`: each counts 1, and noise grows with `maxRows`. Left out: `patients` for the methods that can weigh rows (dp-histboost, dp-additive, dp-ka, dp-pcc, dp-pca, felp-a), `rows` for the others.",
    ),
});

const common = {
  name,
  table: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z0-9_-]+$/, "a table's name holds letters, digits, _ and -")
    .describe("The table's name in each site's own configuration."),
  features: z.array(featureSchema).min(1, "declare at least one feature").max(100_000),
  label: labelSchema.optional(),
  patient: patient.optional(),
  privacy,
  participation,
  release: release.default({ access: "open" }),
};

/** Of analyses that tell classes apart. */
const labelled = { ...common, label: labelSchema };

/** The sections that each analysis adds; a further analysis adds its own here and in `plan.ts`. */
export const studySchema = z
  .discriminatedUnion(
    "analysis",
    [
      z.discriminatedUnion(
        "method",
        [z.strictObject({ ...common, ...dpPcaSection }), z.strictObject({ ...common, ...paperPcaSection })],
        { error: "method of pca must be one of: dp-pca, elfed-pca, dpdis-pca" },
      ),
      z.discriminatedUnion(
        "method",
        [
          z.strictObject({ ...common, ...dpPccSection }),
          z.strictObject({ ...common, ...dpPccSSection }),
          z.strictObject({ ...common, ...pearsonTreeSection }),
        ],
        { error: "method of correlation-tree must be one of: dp-pcc, dp-pcc-s, pearson-tree" },
      ),
      z.discriminatedUnion(
        "method",
        [
          z.strictObject({ ...common, ...histBoostSection }),
          z.strictObject({ ...common, ...additiveSection }),
          z.strictObject({ ...common, ...cartAdaboostSection }),
        ],
        { error: "method of boosted-trees must be one of: dp-histboost, dp-additive, cart-dps-adaboost" },
      ),
      z.discriminatedUnion(
        "method",
        [
          z.strictObject({ ...labelled, ...felpASection }),
          z.strictObject({ ...labelled, ...felpSSection }),
          z.strictObject({ ...labelled, ...paperFelpSection }),
        ],
        {
          error: "method of feature-selection must be one of: felp-a, felp-s, felp, fple, fwell, fwell-en",
        },
      ),
      z.discriminatedUnion(
        "method",
        [
          z.strictObject({ ...common, ...dpKaSection }),
          z.strictObject({ ...common, ...xgbKaSection }),
          z.strictObject({ ...common, ...greedyHamdistSection }),
        ],
        { error: "method of k-anonymous-selection must be one of: dp-ka, xgb-ka, greedy-hamdist" },
      ),
    ],
    {
      error:
        "analysis must be one of: pca, correlation-tree, boosted-trees, feature-selection, k-anonymous-selection",
    },
  )
  .superRefine((study, context) => {
    const seen = new Map<string, string>();
    study.features.forEach((feature, index) => {
      const before = seen.get(feature.name);
      if (before !== undefined) {
        context.addIssue({
          code: "custom",
          path: ["features", index, "name"],
          message: `column "${feature.name}" is declared already at ${before}`,
        });
      }
      seen.set(feature.name, `features[${index}]`);
    });
    if (study.label !== undefined && seen.has(study.label.name)) {
      context.addIssue({
        code: "custom",
        path: ["label", "name"],
        message: `column "${study.label.name}" is a feature too (${seen.get(study.label.name)})`,
      });
    }
    const own = study.patient?.column;
    if (own !== undefined && (seen.has(own) || study.label?.name === own)) {
      context.addIssue({
        code: "custom",
        path: ["patient", "column"],
        message: `column "${own}" is a feature or the label too: whose row it is must not enter the computation`,
      });
    }
    const unweighed = weightingFault(study);
    if (unweighed !== null)
      context.addIssue({ code: "custom", path: ["patient", "weighting"], message: unweighed });
    // What the keys by themselves are refused for may be as large as anybody writes: no layout of it is made.
    if (context.issues.some(({ code }) => code !== "custom")) return;
    for (const [path, message] of analysisIssues(study)) context.addIssue({ code: "custom", path, message });
    // Only a study without another fault has a plan.
    const fault = context.issues.length === 0 ? rhoFault(study) : null;
    if (fault !== null) context.addIssue({ code: "custom", path: ["privacy", "rho"], message: fault });
  });

/** What is wrong with a ρ that a study sets for itself: more than its ε allows. */
function rhoFault(study: Study): string | null {
  if (study.privacy === "none" || study.privacy.rho === undefined) return null;
  if (study.variant !== "sound") return "only for variant sound, whose stages share a proved ρ; remove it";
  try {
    planStudy(study);
    return null;
  } catch (thrown) {
    if (thrown instanceof RangeError) return thrown.message;
    throw thrown;
  }
}

/** What each analysis fills in before the schema reads a study, where one key decides which others there are. */
function withAnalysisDefaults(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw;
  const fields = raw as Record<string, unknown>;
  switch (fields.analysis) {
    case "pca":
      return withPcaDefaults(fields);
    case "correlation-tree":
      return withCorrelationTreeDefaults(fields);
    case "boosted-trees":
      return withBoostedTreesDefaults(fields);
    case "feature-selection":
      return withFeatureSelectionDefaults(fields);
    case "k-anonymous-selection":
      return withKAnonymousDefaults(fields);
    default:
      return raw;
  }
}

function analysisIssues(study: Study): [path: PropertyKey[], message: string][] {
  switch (study.analysis) {
    case "pca":
      return pcaIssues(study);
    case "correlation-tree":
      return correlationTreeIssues(study);
    case "boosted-trees":
      return boostedTreesIssues(study);
    case "feature-selection":
      return featureSelectionIssues(study);
    case "k-anonymous-selection":
      return kAnonymousIssues(study);
    default:
      return assertNever(study);
  }
}

/** A validated study, defaults filled in. */
export type Study = z.output<typeof studySchema> & OnRoster;
export type Privacy = Study["privacy"];

/** One fault of a study file: where, as `participation.minimumSites`, and what is wrong. */
export interface StudyIssue {
  readonly path: string;
  readonly message: string;
}

/** More faults than these are left out: a text from outside may hold one in every few characters. */
const issuesMost = 100;

/** STUDY_INVALID with every fault found up to `issuesMost`, not only the first. */
class StudyInvalidError extends ConsiliumError {
  readonly issues: readonly StudyIssue[];

  constructor(issues: readonly StudyIssue[]) {
    super("STUDY_INVALID", issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "));
    this.name = "StudyInvalidError";
    this.issues = issues;
  }
}

/**
 * Validates a study as written in its YAML file.
 * @param raw - the parsed YAML
 * @returns the study with defaults filled in, or every fault with the key and the fix
 */
export function parseStudy(raw: unknown): Result<Study, StudyInvalidError> {
  // Weights by the method, which the analysis may leave open; what is chosen by the noise comes after them.
  const weighted = withWeightingDefault(withAnalysisDefaults(withBallDefault(raw)));
  const parsed = parseEarlierStudy(withNoiseDefaults(weighted, readOrNull));
  if (!parsed.ok) return parsed;
  const fault = deltaFault(parsed.value);
  return fault === null ? parsed : err(new StudyInvalidError([{ path: "privacy.delta", message: fault }]));
}

/** What is wrong with a new study's δ; releases of earlier versions have greater ones, and still verify. */
export function deltaFault({ variant, privacy }: Pick<Study, "variant" | "privacy">): string | null {
  if (variant !== "sound" || privacy === "none" || privacy.delta <= soundDeltaMax) return null;
  return `at most ${soundDeltaMax} for variant sound: with probability delta the guarantee may fail altogether; choose one well below 1 in the number of patients, such as 1e-6`;
}

function readOrNull(raw: unknown): Study | null {
  const parsed = parseEarlierStudy(raw);
  return parsed.ok ? parsed.value : null;
}

function parseEarlierStudy(raw: unknown): Result<Study, StudyInvalidError> {
  // The input tells a key that is missing from one of the wrong type; it goes into no message.
  const parsed = studySchema.safeParse(withAnalysisDefaults(raw), { reportInput: true });
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues.slice(0, issuesMost).flatMap((issue) => describeIssue(issue, []));
  return err(new StudyInvalidError(issues.slice(0, issuesMost)));
}

function describeIssue(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): StudyIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, issuesMost).map((key) => ({
      path: joinPath([...path, key]),
      message: "no such key; remove it or correct its spelling",
    }));
  }
  if ((issue.code === "invalid_type" || issue.code === "invalid_union") && issue.input === undefined) {
    // An analysis that is missing or unknown is said in the schema's own words.
    const isChosen = issue.code === "invalid_union" && issue.discriminator !== undefined;
    if (!isChosen) return [{ path: joinPath(path), message: "missing" }];
  }
  if (issue.code === "invalid_union") {
    // The branch that came furthest tells best what is meant: for `privacy: {epsilon: 0}`, the object's fault.
    const branch = issue.errors.find(
      (faults) => faults.length > 0 && faults.every((fault) => fault.path.length > 0),
    );
    if (branch !== undefined) return branch.flatMap((fault) => describeIssue(fault, path));
  }
  return [{ path: joinPath(path), message: issue.message }];
}

function joinPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "study";
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

/** A study as it travels and is hashed: canonical JSON of the study as parsed, defaults included. */
export interface StudyDocument {
  readonly study: Study;
  readonly text: string;
  readonly hash: Sha256;
}

export function studyDocument(study: Study): StudyDocument {
  const text = canonicalJson(toSource(study));
  return { study, text, hash: sha256(text) };
}

/** The documents that were read last: a study is read at every turn, and one of a thousand columns takes a while. */
const lastRead = new Map<Sha256, StudyDocument>();
const lastReadMost = 16;

/** Reads a study that travelled, whichever version accepted it. The site does this itself: hash, schema and plan are its own reading. */
export function readStudyDocument(text: string, hash: Sha256): Result<StudyDocument, ConsiliumError> {
  const before = lastRead.get(hash);
  if (before !== undefined && before.text === text) return ok(before);
  const document = readAnew(text, hash);
  if (!document.ok) return document;
  if (lastRead.size === lastReadMost) lastRead.delete(lastRead.keys().next().value!);
  lastRead.set(hash, document.value);
  return document;
}

function readAnew(text: string, hash: Sha256): Result<StudyDocument, ConsiliumError> {
  if (sha256(text) !== hash) {
    return err(
      new ConsiliumError("STUDY_HASH", `the text of the study does not have the hash ${hash.slice(0, 12)}`),
    );
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return err(new ConsiliumError("STUDY_HASH", "the text of the study is not JSON"));
  }
  const parsed = parseEarlierStudy(raw);
  if (!parsed.ok) return parsed;
  const again = studyDocument(parsed.value);
  if (again.hash !== hash)
    return err(new ConsiliumError("STUDY_HASH", "the text of the study is not in canonical form"));
  return ok(again);
}

/** Durations are milliseconds once parsed and text in a file: back to text, so that parsing again gives the same. */
function toSource(study: Study): unknown {
  const { phaseDeadline, joinDeadline, ...rest } = study.participation;
  const join = joinDeadline === undefined ? {} : { joinDeadline: `${joinDeadline}ms` };
  return { ...study, participation: { ...rest, ...join, phaseDeadline: `${phaseDeadline}ms` } };
}
