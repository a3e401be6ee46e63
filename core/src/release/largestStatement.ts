import type { StudySays } from "@consilium/words/says/studies";
import { z } from "zod";
import { utf8Of } from "../bytes.js";
import { ConsiliumError } from "../errors.js";
import type { SiteId, StudyId } from "../ids.js";
import { maxAttempt, maxStatementBytes } from "../limits.js";
import type { StudyIssue } from "../method/methods.js";
import { lines, nameOf } from "../said.js";
import { documentOnRoster } from "../study/onRoster.js";
import { planStudy } from "../study/plan.js";
import { type Study, studyDocument } from "../study/study.js";
import type { StageAttempt } from "./attempts.js";
import { readStatement, type StatementInput, stagesMax, statementOf, statementText } from "./statement.js";

/**
 * Whether a study could have a certificate in the end. Everything that makes its statement large follows from the plan, the
 * roster and the attempts, so that a study whose statement nobody could sign is refused before anything is charged.
 */

/** ε twice and ρ, once each: their digits are known when the study has run, and a double has at most 24 characters. */
const figuresMaxBytes = 3 * 24;

const line = lines<StudySays>();

/** What a statement would be of, before the study has run. */
export interface PlannedStatement extends Omit<StatementInput, "attempts"> {
  /** Attempts that vectors or rows were asked for, and one that is to begin; left out: none. */
  readonly attempts?: readonly Pick<StageAttempt, "stage" | "attempt">[];
}

/**
 * Why a study that has come so far may end without a certificate; null where it cannot. Looked at is the largest statement
 * that may yet come: every stage is attempted, and its last attempt has everybody, for those who stay and those who drop out
 * are the roster together.
 * @returns a line of `StudySays`
 */
export function certificateFault(of: PlannedStatement): string | null {
  const stages = of.plan.stages.length;
  if (stages > stagesMax) return line("study.too-many-stages", { stages, max: stagesMax });
  const size = sizeOf(of);
  if (typeof size === "string") return line("study.no-statement", { part: nameOf(size) });
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

/** Bytes of the largest statement, or which part of it no reader takes. */
function sizeOf(of: PlannedStatement): number | string {
  let text: string;
  try {
    text = statementText(statementOf({ ...of, attempts: largestAttempts(of) }));
  } catch (thrown) {
    if (!(thrown instanceof z.ZodError)) throw thrown;
    return thrown.issues[0]!.path.join(".");
  }
  const bytes = utf8Of(text).length + figuresMaxBytes;
  if (bytes > maxStatementBytes) return bytes;
  const read = readStatement(text);
  return read.ok ? bytes : read.error;
}

/** With how many of its sites a study of this plan would have a statement; 0 where minimumSites are too many. */
function mostSites(of: PlannedStatement): number {
  const { members } = of.roster;
  let fit = of.document.study.participation.minimumSites - 1;
  let tooMany = members.length;
  while (fit + 1 < tooMany) {
    const half = Math.floor((fit + tooMany) / 2);
    const size = sizeOf({ ...of, roster: { ...of.roster, members: members.slice(0, half) } });
    if (typeof size === "number" && size <= maxStatementBytes) fit = half;
    else tooMany = half;
  }
  return fit < of.document.study.participation.minimumSites ? 0 : fit;
}

function largestAttempts({ plan, roster, attempts = [] }: PlannedStatement): StageAttempt[] {
  const everybody = roster.members.map(({ site }) => site);
  return plan.stages.flatMap(({ id }) => {
    const begun = attempts.filter(({ stage }) => stage === id).map(({ attempt }) => attempt);
    const all = [...new Set(begun.length === 0 ? [maxAttempt] : begun)].sort((a, b) => a - b);
    return all.map((attempt, at) => ({
      stage: id,
      attempt,
      survivors: at === all.length - 1 ? everybody : null,
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
    federation: "f",
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
