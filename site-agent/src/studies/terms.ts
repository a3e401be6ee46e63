import { faults } from "@consilium/core/fault";
import type { Shown, ShownTerms } from "@consilium/core/hospital/shown";
import type { Sha256 } from "@consilium/core/ids";
import { hidesTables } from "@consilium/core/study/hidesTables";
import type { Plan } from "@consilium/core/study/plan";
import { planHash } from "@consilium/core/study/planFacts";
import type { StudyDocument } from "@consilium/core/study/study";
import { isOtherBuild } from "@consilium/core/version";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { StudySays } from "@consilium/words/says/studies";
import type { WrittenPolicy } from "../policy/policyFile.js";
import type { KnownTables } from "../tables/knownTables.js";
import type { Terms } from "./approvals.js";

/** Loaded where a person looks at a study or approves it. */

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
