import { faults } from "@consilium/core/fault";
import type { StudyId } from "@consilium/core/ids";
import { nameOf } from "@consilium/core/said";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { Policy } from "../policy/policy.js";
import { type Approver, approverName, type FirstApproval, type Term, type Terms } from "./approvals.js";

const fault = faults<SiteStudySays>();

/** Loaded where the policy asks for two people. */

/**
 * Whether an approval is the second one of a study.
 * @returns `before`: who approved first; null where this is the first one that counts, and then why one before it does not
 * @throws ConsiliumError APPROVAL_SECOND where the first approval that counts is the same person's
 */
export function secondAfter(
  study: StudyId,
  first: FirstApproval | null,
  given: FirstApproval,
  policy: Policy,
): { readonly before: string | null; readonly lapsed: string } {
  if (given.by.startsWith("token:")) throw fault("APPROVAL_SECOND", "work.token-approves", { study });
  if (first === null) return { before: null, lapsed: "" };
  const before = approverName(first);
  const changed = changedTerms(first.terms, given.terms, policy).map((term) => termNames[term]);
  if (changed.length > 0)
    return {
      before: null,
      lapsed: `; the approval of ${before} does not count: ${changed.join(", ")} changed`,
    };
  if (!isSamePerson(first, given)) return { before, lapsed: "" };
  const params = { study, name: nameOf(approverName(given)), before: nameOf(before) };
  throw fault("APPROVAL_SECOND", "work.same-person", params);
}

/** For people. */
export const termNames: Readonly<Record<Term, string>> = {
  study: "the study's text",
  plan: "the plan",
  policy: "the policy",
  table: "the table's entry in config.yaml",
  content: "the table's content",
};

/** Whether two approvals are one person's: a deputy's are those of the person in whose place they are, too. */
function isSamePerson(a: Approver, b: Approver): boolean {
  const people = ({ by, inPlaceOf }: Approver) =>
    [by, inPlaceOf ?? by].map((name) => name.normalize("NFKC").trim().toLowerCase());
  return people(a).some((one) => people(b).includes(one));
}

/** What is different by now of what was approved. */
export function changedTerms(approved: Terms, present: Terms, policy: Policy): Term[] {
  const own = approved.policy?.startsWith(asReadPrefix) ? { ...present, policy: asRead(policy) } : present;
  return (Object.keys(termNames) as Term[]).filter((term) => own[term] !== approved[term]);
}

/** Earlier software hashed a policy with its own defaults: so it is compared where a migration has marked it. */
const asReadPrefix = "as-read:";
/** As a version read it that hashed what it read: without the keys since then. */
const asRead = ({ minimumUsable: _, publishRefusals: __, ...policy }: Policy) =>
  `${asReadPrefix}${sha256(Buffer.from(JSON.stringify(policy)))}`;
