import { utf8Of } from "@consilium/core/bytes";
import { canonicalJson, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import {
  parseSha256,
  parseSiteId,
  parseStageId,
  parseStudyId,
  type Sha256,
  type SiteId,
  type StageId,
  type StudyId,
} from "@consilium/core/ids";
import { maxAttempt, maxSites, maxStatementBytes } from "@consilium/core/limits";
import { Enclosure } from "@consilium/core/privacy/enclosure";
import { chargesOf, type PrivacyEvent, parseEvent } from "@consilium/core/privacy/events";
import { isSameEvent } from "@consilium/core/privacy/sameEvent";
import { accountFor } from "@consilium/core/release/accounting";
import {
  attemptsFault,
  droppedFrom,
  type StageAttempt,
  survivorsNeeded,
} from "@consilium/core/release/attempts";
import { firstDifference } from "@consilium/core/release/difference";
import { err, ok, type Result } from "@consilium/core/result";
import { lossDistributionSchema } from "@consilium/core/study/lossViews";
import type { Plan, PlanLoss, PrivacyClaim } from "@consilium/core/study/plan";
import type { Study, StudyDocument } from "@consilium/core/study/study";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { z } from "zod";
import { eventAsStated } from "./statedEvent.js";

export type { StageAttempt } from "@consilium/core/release/attempts";

/**
 * What the sites of a study can know of its release, and sign: the study, who took part at every attempt, and what that
 * cost. Whatever is not in it (the rows, the model, the time) rests on the aggregator's word alone.
 *
 * A site does not read a statement and judge each field. It takes from it the attempts alone, checks those against its
 * own records, builds the statement that follows from them by itself, and signs if the two are one text.
 */
const text = z.string().max(4000);
export const sha256Field = z.custom<Sha256>((raw) => parseSha256(raw).ok, "not a SHA-256");
export const siteField = z.custom<SiteId>((raw) => parseSiteId(raw).ok, "not a site's id");
const stage = z.custom<StageId>((raw) => parseStageId(raw).ok, "not a stage's id");
/** The most stages that a study with a certificate has. */
export const stagesMax = 1000;
const attemptNumber = z.int().min(1).max(maxAttempt);
const sites = z.array(siteField).max(maxSites);
const cost = z.number().min(0).nullable();
const attemptsMax = 10_000;

const event = z.custom<PrivacyEvent>((raw) => parseEvent(raw).ok, "not a privacy event");

/** The data that the sites sent at a stage, in the plan's words. */
const disclosure = z.strictObject({
  stage,
  what: text,
  form: z.enum(["masked sum", "rows in the clear", "tag counts"]),
  learns: text,
  mechanism: text,
  normBound: z.number().nullable(),
  sensitivity: z.number().nullable(),
  cost: z.strictObject({ epsilon: z.number(), delta: z.number() }).nullable(),
  entries: z.int().nullable(),
  /** The sites' own noise in the sum, in grid units; null where they add none inside the masked vector. */
  noise: z
    .strictObject({
      shareVariance: z.number().positive(),
      noiseShares: z.int().positive(),
      guaranteedStdDev: z.number().positive(),
    })
    .nullable(),
});

export const statedPrivacy = z.strictObject({
  verdict: z.enum(["proved", "claimed by the authors, not verified", "no privacy"]),
  /** For a proven verdict that of the accounting, else the authors' claim. */
  epsilon: cost,
  delta: cost,
  neighbouringRelation: text,
  /** Whom it protects. */
  unit: text,
  /** Where the proof stands; null unless proven. */
  proof: text.nullable(),
  /** Why the verdict is not `proved`. */
  reasons: z.array(text).max(100),
  /** Everything that was done to the records, and what it adds up to. Anyone can add it up again. */
  accounting: z.strictObject({
    accountant: z.literal("zcdp"),
    neighbouringRelation: z.literal("add-remove"),
    delta: cost,
    /** Null where an event has no bound. */
    epsilon: cost,
    rho: cost,
    /** Of every attempt in which a vector may have left a site: each is charged. */
    events: z.array(z.strictObject({ stage, attempt: attemptNumber, event })).max(attemptsMax),
    /**
     * Of a proven method, the stages that the study went without: counted too, for what decided that was noisy, and no proof
     * covers an ε that is read off afterwards. Left out where no stage was.
     */
    skipped: z.array(z.strictObject({ stage, event })).min(1).max(stagesMax).optional(),
    /**
     * The plan's exact accounting, of a study whose every stage has a dominating pair and was attempted once at most: no
     * other composition was fixed before the study ran.
     */
    lossDistribution: lossDistributionSchema.optional(),
  }),
  disclosures: z.array(disclosure).max(stagesMax),
});

export const statedMember = z.strictObject({
  id: siteField,
  /** SHA-256 of the Ed25519 key that the site signs with. */
  signingKeyFingerprint: sha256Field,
});

export const statedSites = z.strictObject({
  roster: z.array(statedMember).min(1).max(maxSites),
  rosterHash: sha256Field,
  minimumSites: z.int().positive(),
  tolerateColluding: z.int().min(0),
  /** So many must be in every sum, and so many must countersign. */
  threshold: z.int().positive(),
  attempts: z
    .array(
      z.strictObject({
        stage,
        attempt: attemptNumber,
        kind: z.enum(["sum", "rows", "tags"]),
        /** Whose vectors or rows were taken; null where the attempt was given up. */
        survivors: sites.nullable(),
        /** Everybody else of the roster; null with `survivors`. */
        dropped: sites.nullable(),
      }),
    )
    .max(attemptsMax),
});

export const statedStudy = z.strictObject({
  id: z.custom<StudyId>((raw) => parseStudyId(raw).ok, "not a study's id"),
  hash: sha256Field,
});

const statementSchema = z.strictObject({
  format: z.literal("consilium-statement/1"),
  federation: text,
  study: statedStudy,
  privacy: statedPrivacy,
  sites: statedSites,
});

export type Statement = z.output<typeof statementSchema>;

/** What a statement is made of. Everything in it follows from these. */
export interface StatementInput {
  readonly federation: string;
  readonly studyId: StudyId;
  readonly document: Pick<StudyDocument, "hash" | "study">;
  /** Of the study. */
  readonly plan: Plan;
  readonly roster: StatedRoster;
  /** Every attempt whose vectors or rows were asked for. */
  readonly attempts: readonly StageAttempt[];
}

/** Of a study's roster, what a statement says. */
export interface StatedRoster {
  readonly hash: Sha256;
  /** In order of ids. */
  readonly members: readonly { readonly site: SiteId; readonly signingKey: Uint8Array }[];
}

/**
 * The statement about a study that ran so.
 * @throws RangeError if the attempts are not those of a study of this plan and roster that was finished
 */
export function statementOf(input: StatementInput): Statement {
  const built = buildStatement(input);
  if (built.ok) return built.value;
  throw new RangeError(`study ${input.studyId}: ${built.error}`);
}

/** The one text of a statement: canonical JSON. */
export function statementText(statement: Statement): string {
  return canonicalJson(statementSchema.parse(statement));
}

/** What stands for a statement in a countersignature. */
export function statementHash(text: string): Sha256 {
  return sha256("consilium statement v1\n", text);
}

/** @returns the statement, or what is wrong with the attempts, in words */
export function buildStatement(input: StatementInput): Result<Statement, string> {
  const { federation, studyId, document, plan, roster, attempts } = input;
  const members = roster.members.map(({ site, signingKey }) => ({
    id: site,
    signingKeyFingerprint: sha256(signingKey),
  }));
  const ids = roster.members.map((member) => member.site);
  const fault = attemptsFault(attempts, { plan, study: document.study, roster: ids });
  if (fault !== null) return err(fault);
  const events = attempts.map(({ stage, attempt }) => ({
    stage,
    attempt,
    event: eventAsStated(stageOf(plan, stage).disclosure.event),
  }));
  return ok({
    format: "consilium-statement/1",
    federation,
    study: { id: studyId, hash: document.hash },
    privacy: privacyOf(plan, events),
    sites: {
      roster: members,
      rosterHash: roster.hash,
      ...participationOf(plan, document.study, ids.length),
      attempts: attempts.map(({ stage, attempt, survivors }) => ({
        stage,
        attempt,
        kind: stageOf(plan, stage).kind,
        survivors: survivors === null ? null : [...survivors],
        dropped: survivors === null ? null : droppedFrom(ids, survivors),
      })),
    },
  });
}

function stageOf(plan: Plan, id: StageId): Plan["stages"][number] {
  return plan.stages.find((one) => one.id === id)!;
}

function participationOf(plan: Plan, study: Study, sites: number) {
  const { minimumSites, tolerateColluding } = study.participation;
  return { minimumSites, tolerateColluding, threshold: survivorsNeeded(plan, study, sites) };
}

/**
 * The plan's stages that were never attempted, of a proven method. Composition is proven against a bound that is fixed before
 * the study runs (docs/methods/k-anonymous-selection.md#skipped-tests), so they are counted as if they had been.
 */
export function skippedOf(
  { claim, stages }: Plan,
  attempted: readonly { readonly stage: StageId }[],
): { stage: StageId; event: PrivacyEvent }[] {
  if (claim.verdict !== "proved") return [];
  const seen = new Set(attempted.map((one) => one.stage));
  return stages
    .filter(({ id }) => !seen.has(id))
    .map(({ id, disclosure: { event: own } }) => ({ stage: id, event: own }));
}

/** The plan's exact accounting, where what was attempted is what was planned and no more; null elsewhere. */
export function lossOfAttempts(
  { claim }: Plan,
  attempted: readonly { readonly stage: StageId }[],
): PlanLoss | null {
  const isOnce = new Set(attempted.map((one) => one.stage)).size === attempted.length;
  return isOnce ? (claim.lossDistribution ?? null) : null;
}

/**
 * The one ε that a release shows.
 * @param zcdp - of everything that was attempted or skipped
 * @param loss - as stated; null where the plan's does not cover what was attempted
 */
export function headlineEpsilon(
  claim: PrivacyClaim,
  zcdp: number | null,
  loss: Pick<PlanLoss, "epsilon"> | null,
): number | null {
  if (claim.verdict !== "proved") return claim.epsilon;
  return claim.isExact && loss !== null ? loss.epsilon : zcdp;
}

function privacyOf(plan: Plan, events: Statement["privacy"]["accounting"]["events"]): Statement["privacy"] {
  const { claim } = plan;
  const skipped = skippedOf(plan, events);
  const loss = lossOfAttempts(plan, events);
  const total = accountFor(
    [...events, ...skipped].map((one) => one.event),
    claim.delta,
  );
  return {
    verdict: claim.verdict,
    epsilon: headlineEpsilon(claim, total.epsilon, loss),
    delta: claim.delta,
    neighbouringRelation: claim.neighbouringRelation,
    unit: claim.unit,
    proof: claim.proof,
    reasons: [...claim.reasons],
    accounting: {
      accountant: "zcdp",
      neighbouringRelation: "add-remove",
      delta: claim.delta,
      epsilon: total.epsilon,
      rho: total.rho,
      events,
      ...(skipped.length === 0 ? {} : { skipped }),
      ...(loss === null ? {} : { lossDistribution: loss }),
    },
    disclosures: plan.stages.map((stage) => {
      const { what, form, learns, mechanism, normBound, sensitivity, cost, event } = stage.disclosure;
      return {
        stage: stage.id,
        what,
        form,
        learns,
        mechanism,
        normBound,
        sensitivity,
        cost,
        entries: stage.kind === "sum" ? stage.length : null,
        noise: addedNoise(event),
      };
    }),
  };
}

/** What a site knows of a study by itself. */
export interface OwnRecords extends StatementInput {
  readonly site: SiteId;
  /**
   * Every attempt that this site has committed to its ledger, with the event it committed. `survivors`: the set that it
   * signed or answered for; null where it never did, and for rows.
   */
  readonly attempts: readonly (StageAttempt & { readonly event: PrivacyEvent })[];
  /** Of the statement about this study that this site has signed already. It signs no other. */
  readonly signedBefore: Sha256 | null;
}

/**
 * Whether a statement is true, as far as this site can know.
 * @returns what the site may sign, or STATEMENT_INVALID naming what is wrong: any field that does not follow from the
 *   study, the roster and the attempts; an attempt of this site's that is left out, was charged otherwise or had other
 *   survivors; a vector counted that this site never sent; an ε below this site's own accounting; a second statement
 */
export function checkStatement(text: string, own: OwnRecords): Result<{ hash: Sha256 }, ConsiliumError> {
  const refuse = (what: string) =>
    err(new ConsiliumError("STATEMENT_INVALID", `study ${own.studyId}, the statement to sign: ${what}`));
  const stated = readStatement(text);
  if (!stated.ok) return refuse(stated.error);
  const { attempts, roster } = stated.value.sites;
  const expected = buildStatement({ ...own, attempts });
  if (!expected.ok) return refuse(expected.error);
  const difference = firstDifference(stated.value, expected.value);
  if (difference !== null) return refuse(`${difference} is not what follows from this site's own records`);
  if (!roster.some((member) => member.id === own.site)) return refuse("this site is not on its roster");

  const fault = ownAttemptsFault(stated.value, own);
  if (fault !== null) return refuse(fault);
  const mine = accountFor(
    own.attempts.map((one) => one.event),
    own.plan.claim.delta,
  );
  if (!isAtLeast(stated.value.privacy.accounting, mine)) {
    return refuse("its epsilon is below what this site's own accounting gives");
  }
  const found = statementHash(text);
  if (own.signedBefore !== null && own.signedBefore !== found) {
    return refuse("this site has signed another statement about this study");
  }
  return ok({ hash: found });
}

/** @returns the statement if the text is the one of a statement, else what is wrong */
export function readStatement(text: string): Result<Statement, string> {
  if (utf8Of(text).length > maxStatementBytes) return err(`over its limit of ${maxStatementBytes} bytes`);
  const raw = readCanonicalJson(text);
  if (!raw.ok) return raw;
  const parsed = statementSchema.safeParse(raw.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return err(`${issue?.path.join(".") || "statement"}: ${issue?.message ?? "invalid"}`);
  }
  return canonicalJson(parsed.data) === text ? ok(parsed.data) : err("not in canonical form");
}

/** Whether the listed attempts can stand beside what this site did itself: null, or what is wrong. */
function ownAttemptsFault(stated: Statement, own: OwnRecords): string | null {
  const keyOf = (one: { readonly stage: string; readonly attempt: number }) => `${one.stage} ${one.attempt}`;
  const ownByKey = new Map(own.attempts.map((one) => [keyOf(one), one]));
  const events = new Map(stated.privacy.accounting.events.map((one) => [keyOf(one), one.event]));
  for (const one of stated.sites.attempts) {
    const mine = ownByKey.get(keyOf(one));
    const place = `stage ${one.stage}, attempt ${one.attempt}`;
    if (mine === undefined) {
      if (one.survivors?.includes(own.site)) return `${place} counts this site, which sent nothing there`;
      continue;
    }
    ownByKey.delete(keyOf(one));
    if (!isSameEvent(mine.event, events.get(keyOf(one)))) {
      return `${place} is not the event that this site was charged for`;
    }
    // An attempt may be given up after its survivors were agreed: it is charged all the same.
    if (one.survivors === null || mine.survivors === null) continue;
    if (mine.survivors.join() !== one.survivors.join())
      return `${place} has other survivors than were agreed`;
  }
  const [missing] = ownByKey.values();
  return missing === undefined
    ? null
    : `it leaves out stage ${missing.stage}, attempt ${missing.attempt}, which this site was charged for`;
}

function isAtLeast(
  stated: { readonly epsilon: number | null; readonly rho: number | null },
  own: { readonly epsilon: number | null; readonly rho: number | null },
): boolean {
  const infinite = (value: number | null) => value ?? Number.POSITIVE_INFINITY;
  return infinite(stated.rho) >= infinite(own.rho) && infinite(stated.epsilon) >= infinite(own.epsilon);
}

/** Noise that was added to a stage's sum by the sites, in grid units of its integer vector, at entries of weight 1. */
interface AddedNoise {
  /** Of every site's own share: the parameter of its discrete Gaussian. */
  readonly shareVariance: number;
  /** Shares that are in the sum and unknown to anyone who sees it, at the fewest sites and the most collusion allowed. */
  readonly noiseShares: number;
  /** σ = √(noiseShares · shareVariance), rounded down: what the guarantee rests on. The sum may hold more. */
  readonly guaranteedStdDev: number;
}

/** The sites' noise in an event; null where they add none of their own inside the masked vector. */
function addedNoise(event: PrivacyEvent): AddedNoise | null {
  for (const { event: mechanism } of chargesOf(event)) {
    if (mechanism.kind !== "distributed-discrete-gaussian") continue;
    const { shareVariance, noiseShares } = mechanism;
    const variance = Enclosure.of(noiseShares).times(Enclosure.of(shareVariance));
    return { shareVariance, noiseShares, guaranteedStdDev: variance.squareRoot().floor() };
  }
  return null;
}
