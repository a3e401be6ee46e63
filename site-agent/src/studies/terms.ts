import { canonicalJson } from "@consilium/core/canonicalJson";
import { faults } from "@consilium/core/fault";
import type { ApprovalRecord } from "@consilium/core/hospital/approvalRecords";
import type { Shown, ShownTerms } from "@consilium/core/hospital/shown";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { hidesTables } from "@consilium/core/study/hidesTables";
import type { Plan } from "@consilium/core/study/plan";
import { planHash, planText } from "@consilium/core/study/planFacts";
import type { StudyDocument } from "@consilium/core/study/study";
import { isOtherBuild, softwareBuild } from "@consilium/core/version";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { StudySays } from "@consilium/words/says/studies";
import type { WrittenPolicy } from "../policy/policyFile.js";
import type { KnownTables } from "../tables/knownTables.js";
import type { OfferedStudy, Terms } from "./approvals.js";
import type { BoundApproval, GivenApproval } from "./joining.js";

/** Loaded where a person looks at a study, and for the record of a decision. */

const fault = faults<StudySays>();

/** A study as it was offered, with what judges it. */
export interface Judging extends Pick<StudyDocument, "study" | "hash"> {
  /** Before the study has a roster. */
  readonly plan: Plan;
  readonly policy: WrittenPolicy;
  readonly tables: KnownTables;
}

/** A table's entry in config.yaml, as far as it says what a study is charged for: JSON. */
export function tableEntry({ study: { table }, tables }: Pick<Judging, "study" | "tables">): string {
  return JSON.stringify([
    table,
    tables.unit(table),
    tables.hasDeclaredColumns(table),
    tables.source(table)?.cover,
  ]);
}

/**
 * What a person approves, as hashes. Two approvals are of one thing where all are equal: the study's text, the plan that is
 * charged, the policy that judged it, as the hospital has written it, and the table with its unit and source. The table's content is among them where the
 * study is held to it, which a study that hides tables is not.
 * @param content - null where nobody has looked at it
 */
export function termsOf(of: Judging, content: Sha256 | null): Terms {
  const { study, hash, plan, policy } = of;
  return {
    study: hash,
    plan: planHash(study, plan),
    policy: policy.written,
    table: sha256(Buffer.from(tableEntry(of))),
    content: hidesTables(study) ? null : content,
  };
}

/** The same as a study's facts carry it. */
export function shownTermsOf(of: Judging): ShownTerms {
  const { study, plan, policy, table } = termsOf(of, null);
  return { studyHash: study!, planHash: plan!, policyHash: policy, tableHash: table! };
}

/**
 * Demands that what was shown is what is approved.
 * @throws ConsiliumError APPROVAL_CHANGED, naming what is another by now, or that another version has shown it
 */
export function demandShown(shown: Shown, of: Judging): void {
  const present = shownTermsOf(of);
  if (isOtherBuild(shown.software)) throw fault("APPROVAL_CHANGED", "study.shown-software", {});
  for (const what of ["study", "plan", "policy", "table"] as const)
    if (shown[`${what}Hash`] !== present[`${what}Hash`])
      throw fault("APPROVAL_CHANGED", `study.shown-${what}`, {});
}

/** Binds an approval to what is approved: its record has the facts of this moment. */
export async function boundApproval(
  of: Judging,
  { by, inPlaceOf, shown, facts }: GivenApproval,
  { id, now }: { readonly id: StudyId; readonly now: () => number },
): Promise<BoundApproval> {
  if (shown !== null) demandShown(shown, of);
  const known = await facts();
  return {
    by,
    inPlaceOf,
    terms(content) {
      // The table was read through meanwhile.
      if (shown !== null) demandShown(shown, of);
      return termsOf(of, content);
    },
    record(decision, terms) {
      return recordOf(of, { study: id, by, inPlaceOf, at: now(), decision, terms, shown, facts: known });
    },
  };
}

type Decided = Omit<ApprovalRecord, "format" | "software" | "plan" | "policy" | "table">;

/** What is kept of a decision, canonical JSON. */
export function recordOf(of: Judging, decided: Decided): string {
  const known = { plan: planText(of.study, of.plan), policy: of.policy.text, table: tableEntry(of) };
  return written({ ...decided, ...known });
}

/** The same of a join without a person: nothing was shown to anybody, and no table's content was looked at. */
export function automaticRecord({ id, text }: OfferedStudy, of: Judging, at: number): string {
  const alone = { by: null, inPlaceOf: null, decision: "automatic", shown: null } as const;
  return recordOf(of, { ...alone, study: id, at, terms: termsOf(of, null), facts: { text } });
}

/**
 * The same of a refusal. It always counts: what was shown is kept beside what holds by now, and not held against it.
 * @param of - null where this version cannot plan the study any more, or the policy cannot be read
 */
export function refusalRecord(
  of: Judging | null,
  refused: Pick<Decided, "study" | "by" | "at" | "reason" | "facts" | "shown">,
): string {
  const decided = { ...refused, inPlaceOf: null, decision: "refused" } as const;
  if (of !== null) return recordOf(of, { ...decided, terms: termsOf(of, null) });
  return written({ ...decided, terms: {}, plan: null, policy: null, table: "" });
}

function written(record: Omit<ApprovalRecord, "format" | "software">): string {
  const own = { format: "consilium-approval/1", software: softwareBuild } as const;
  return canonicalJson({ ...own, ...record } satisfies ApprovalRecord);
}
