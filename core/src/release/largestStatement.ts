import type { StudySays } from "@consilium/words/says/studies";
import { utf8Of } from "../bytes.js";
import { ConsiliumError } from "../errors.js";
import type { Sha256, SiteId, StageId, StudyId } from "../ids.js";
import { maxAttempt, maxStatementBytes } from "../limits.js";
import type { StudyIssue } from "../method/studyReader.js";
import { lines, nameOf } from "../said.js";
import { documentOnRoster } from "../study/onRoster.js";
import { planStudy } from "../study/plan.js";
import { maxAttemptsOfStage } from "../study/planFacts.js";
import { type Study, studyDocument } from "../study/study.js";
import { type StageAttempt, survivorsNeeded } from "./attempts.js";
import { type StatementInput, statementOf, statementText } from "./statement.js";

/**
 * Whether a study could have a certificate in the end. Everything that makes its statement large follows from the plan, the
 * roster and the attempts, so that a study whose statement nobody could sign is refused before anything is charged.
 */

const line = lines<StudySays>();

/** What a statement would be of, before the study has run. */
export interface PlannedStatement extends Omit<StatementInput, "attempts" | "result" | "broadcasts"> {
  /** Attempts that vectors or rows were asked for, and one that is to begin; left out: none. */
  readonly attempts?: readonly Pick<StageAttempt, "stage" | "attempt">[];
}

/**
 * Why a study that has come so far may end without a certificate; null where it cannot. Looked at is the largest statement
 * that may yet come: every stage is attempted, and has the fewest sites that it may: those who
 * dropped are named at each.
 * @returns a line of `StudySays`
 */
export function certificateFault(of: PlannedStatement): string | null {
  const stages = of.plan.stages.length;
  const spent = of.plan.stages.find(({ id }) => begunAt(of, id).length > maxAttemptsOfStage);
  if (spent !== undefined)
    return line("study.too-many-attempts", { stage: nameOf(spent.id), max: maxAttemptsOfStage });
  const size = sizeOf(of);
  if (size <= maxStatementBytes) return null;
  const sites = of.roster.members.length;
  return line("study.statement-too-large", {
    stages,
    sites,
    bytes: size,
    max: maxStatementBytes,
    fits: mostSites(of),
  });
}

/** @throws ConsiliumError STUDY_INVALID where `certificateFault` finds one */
export function demandCertificate(of: PlannedStatement): void {
  const fault = certificateFault(of);
  if (fault === null) return;
  throw new ConsiliumError("STUDY_INVALID", fault, { remedy: line("study.plan-less", {}) });
}

/** Stands for hashes that are known when the study has run. */
const someHash = "0".repeat(64) as Sha256;

/** Bytes of the largest statement. */
function sizeOf(of: PlannedStatement): number {
  const hashes = { result: someHash, broadcasts: someHash };
  return utf8Of(statementText(statementOf({ ...of, ...hashes, attempts: largestAttempts(of) }))).length;
}

/** With how many of its sites a study of this plan would have a statement; 0 where minimumSites are too many. */
function mostSites(of: PlannedStatement): number {
  const { members } = of.roster;
  let fit = of.document.study.participation.minimumSites - 1;
  let tooMany = members.length;
  while (fit + 1 < tooMany) {
    const half = Math.floor((fit + tooMany) / 2);
    const size = sizeOf({ ...of, roster: { ...of.roster, members: members.slice(0, half) } });
    if (size <= maxStatementBytes) fit = half;
    else tooMany = half;
  }
  return fit < of.document.study.participation.minimumSites ? 0 : fit;
}

/** Attempts at a stage, in order, each once. */
function begunAt({ attempts = [] }: PlannedStatement, id: StageId): number[] {
  const begun = attempts.filter(({ stage }) => stage === id).map(({ attempt }) => attempt);
  return [...new Set(begun)].sort((a, b) => a - b);
}

function largestAttempts(of: PlannedStatement): StageAttempt[] {
  const everybody = of.roster.members.map(({ site }) => site);
  const fewest = everybody.slice(0, survivorsNeeded(of.plan, of.document.study, everybody.length));
  return of.plan.stages.flatMap(({ id }) => {
    const begun = begunAt(of, id);
    const all = begun.length === 0 ? [maxAttempt] : begun;
    return all.map((attempt, at) => ({
      stage: id,
      attempt,
      survivors: at === all.length - 1 ? fewest : null,
    }));
  });
}

/**
 * The same of a study that somebody has written: on the sites that it names, else on the fewest that it may have, with ids
 * as short as they can be. Whether it has one on more is known with its roster.
 */
export function certificateIssue(study: Study): StudyIssue | null {
  const { sites, minimumSites } = study.participation;
  const members = sites === undefined ? shortestIds(minimumSites) : [...sites].sort();
  const document = documentOnRoster(studyDocument(study), members.length);
  const fault = certificateFault({
    federation: { name: "f", root: document.hash },
    studyId: `${study.name}-0123456789` as StudyId,
    document,
    plan: planStudy(document.study),
    roster: {
      hash: document.hash,
      members: members.map((site) => ({ site, signingKey: new Uint8Array(32) })),
    },
  });
  if (fault === null) return null;
  return { path: sites === undefined ? "parameters" : "participation.sites", message: fault };
}

function shortestIds(count: number): SiteId[] {
  return Array.from({ length: count }, (_, at) => at.toString(36) as SiteId).sort();
}
