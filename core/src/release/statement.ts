import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { z } from "zod";
import { utf8Of } from "../bytes.js";
import { canonicalJson, readCanonicalJson } from "../canonicalJson.js";
import { ConsiliumError } from "../errors.js";
import { parseSha256, parseSiteId, parseStageId, type Sha256, type SiteId, type StudyId } from "../ids.js";
import { maxAttempt, maxSites, maxStatementBytes } from "../limits.js";
import type { PrivacyEvent } from "../privacy/events.js";
import { isSameEvent } from "../privacy/sameEvent.js";
import { err, ok, type Result } from "../result.js";
import type { Plan } from "../study/plan.js";
import { type PlanFacts, planFacts } from "../study/planFacts.js";
import type { StudyDocument } from "../study/study.js";
import { attemptsFault, droppedFrom, type StageAttempt } from "./attempts.js";
import { firstDifference } from "./difference.js";

/**
 * What the sites of a study can know of its release, and sign: the study, the plan by which it ran, who took part at every attempt,
 * and what everybody was told. Of the result it has the hash, which a site cannot judge: it signs one for each study.
 *
 * A site takes the attempts and the result's hash from a statement, checks the attempts against its own records, builds the
 * statement that follows by itself, and signs if the two are one text. What is derived is not in it.
 */
export interface Statement {
  readonly format: "consilium-statement/2";
  readonly federation: Federation;
  readonly study: { readonly id: StudyId; readonly hash: Sha256 };
  readonly plan: PlanFacts;
  /** In order of ids. `signingKeyFingerprint`: SHA-256 of the Ed25519 key that the site signs with. */
  readonly roster: readonly { readonly id: SiteId; readonly signingKeyFingerprint: Sha256 }[];
  readonly rosterHash: Sha256;
  /** `dropped`: who of the roster is not in the attempt's sum; null where it was given up. */
  readonly attempts: readonly (Pick<StageAttempt, "stage" | "attempt"> & {
    readonly dropped: readonly SiteId[] | null;
  })[];
  /** Of result.json. */
  readonly result: Sha256;
  /** `broadcastsHash` over all stages. */
  readonly broadcasts: Sha256;
}

export interface Federation {
  readonly name: string;
  /** SHA-256 of the root certificate's public key (SubjectPublicKeyInfo, DER). */
  readonly root: Sha256;
}

/** Everything in a statement follows from these. */
export interface StatementInput {
  readonly federation: Federation;
  readonly studyId: StudyId;
  /** On its roster. */
  readonly document: Pick<StudyDocument, "hash" | "study">;
  /** Of that study. */
  readonly plan: Plan;
  readonly roster: StatedRoster;
  /** Every attempt whose vectors or rows were asked for. */
  readonly attempts: readonly StageAttempt[];
  readonly result: Sha256;
  readonly broadcasts: Sha256;
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
export const statementText = (statement: Statement): string => canonicalJson(statement);

/** What stands for a statement in a countersignature. */
export const statementHash = (text: string): Sha256 => sha256("consilium statement v2\n", text);

/** @returns the statement, or what is wrong with the attempts, in words */
function buildStatement(input: StatementInput): Result<Statement, string> {
  const { federation, studyId, document, plan, roster, attempts, result, broadcasts } = input;
  const ids = roster.members.map(({ site }) => site);
  const fault = attemptsFault(attempts, { plan, study: document.study, roster: ids });
  if (fault !== null) return err(fault);
  return ok({
    format: "consilium-statement/2",
    federation: { name: federation.name, root: federation.root },
    study: { id: studyId, hash: document.hash },
    plan: planFacts(document.study, plan),
    roster: roster.members.map(({ site, signingKey }) => ({
      id: site,
      signingKeyFingerprint: sha256(signingKey),
    })),
    rosterHash: roster.hash,
    attempts: attempts.map(({ stage, attempt, survivors }) => ({
      stage,
      attempt,
      dropped: survivors === null ? null : droppedFrom(ids, survivors),
    })),
    result,
    broadcasts,
  });
}

/** What a site knows of a study by itself. */
export interface OwnRecords extends Omit<StatementInput, "result"> {
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
 *   study, its plan, the roster, the attempts and what was broadcast; an attempt of this site's that is left out, was charged otherwise
 *   or had other survivors; a vector counted that this site never sent; a second statement
 */
export function checkStatement(text: string, own: OwnRecords): Result<{ hash: Sha256 }, ConsiliumError> {
  const refuse = (what: string) =>
    err(new ConsiliumError("STATEMENT_INVALID", `study ${own.studyId}, the statement to sign: ${what}`));
  const stated = readStatement(text);
  if (!stated.ok) return refuse(stated.error);
  const roster = own.roster.members.map(({ site }) => site);
  const attempts = stated.value.attempts.map(({ stage, attempt, dropped }) => ({
    stage,
    attempt,
    survivors: dropped === null ? null : droppedFrom(roster, dropped),
  }));
  const expected = buildStatement({ ...own, attempts, result: stated.value.result });
  if (!expected.ok) return refuse(expected.error);
  if (statementText(expected.value) !== text) {
    const at = firstDifference(stated.value, expected.value);
    return refuse(`${at} is not what follows from this site's own records`);
  }
  if (!roster.includes(own.site)) return refuse("this site is not on its roster");
  const fault = ownAttemptsFault(attempts, own);
  if (fault !== null) return refuse(fault);
  const found = statementHash(text);
  if (own.signedBefore !== null && own.signedBefore !== found) {
    return refuse("this site has signed another statement about this study");
  }
  return ok({ hash: found });
}

const stage = z.custom<StageAttempt["stage"]>((raw) => parseStageId(raw).ok, "not a stage's id");
const site = z.custom<SiteId>((raw) => parseSiteId(raw).ok, "not a site's id");
const attemptsMost = 100_000;
/** What a site takes from a statement. The rest it compares with its own. */
const taken = z.looseObject({
  attempts: z
    .array(
      z.strictObject({
        stage,
        attempt: z.int().min(1).max(maxAttempt),
        dropped: z.array(site).max(maxSites).nullable(),
      }),
    )
    .max(attemptsMost),
  result: z.custom<Sha256>((raw) => parseSha256(raw).ok, "not a SHA-256"),
});

function readStatement(text: string): Result<z.output<typeof taken>, string> {
  if (utf8Of(text).length > maxStatementBytes) return err(`over its limit of ${maxStatementBytes} bytes`);
  const raw = readCanonicalJson(text);
  if (!raw.ok) return raw;
  const parsed = taken.safeParse(raw.value);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  return err(`${issue?.path.join(".") || "statement"}: ${issue?.message ?? "invalid"}`);
}

/** Whether the listed attempts can stand beside what this site did itself: null, or what is wrong. */
function ownAttemptsFault(stated: readonly StageAttempt[], own: OwnRecords): string | null {
  const keyOf = (one: { readonly stage: string; readonly attempt: number }) => `${one.stage} ${one.attempt}`;
  const ownByKey = new Map(own.attempts.map((one) => [keyOf(one), one]));
  const events = new Map(own.plan.stages.map(({ id, disclosure }) => [id, disclosure.event]));
  for (const one of stated) {
    const mine = ownByKey.get(keyOf(one));
    const place = `stage ${one.stage}, attempt ${one.attempt}`;
    if (mine === undefined) {
      if (one.survivors?.includes(own.site)) return `${place} counts this site, which sent nothing there`;
      continue;
    }
    ownByKey.delete(keyOf(one));
    if (!isSameEvent(mine.event, events.get(one.stage))) {
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
