import type { ErrorCode } from "@consilium/core/errors";
import type { DecisionView } from "@consilium/core/hospital/policyViews";
import type { Plan } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { judge, type Permissions } from "./judge.js";
import { approvalOf, type Policy, variantOf } from "./policy.js";

/**
 * Which rule of the policy decides on a study, in words: the same for the page that approves and for the editor that
 * tries a policy out. The budget and the table's rows are judged later, when the study is joined.
 */
export function decisionOn(study: Study, plan: Plan, permissions: Permissions): DecisionView {
  const judged = judge(study, plan, permissions);
  if (judged.ok) return approvalDecision(plan, permissions.policy);
  const { code, message, remedy } = judged.error;
  return {
    outcome: "refused",
    rule: ruleOf(code, study),
    words: `${sentence(message)} ${sentence(remedy)}`,
    code,
  };
}

/** The key that a refusal comes from. */
function ruleOf(code: ErrorCode, study: Study): string {
  switch (code) {
    case "POLICY_ANALYSIS":
      return "analyses";
    case "POLICY_NO_PRIVACY":
      return "allowNoPrivacy of config.yaml";
    case "POLICY_VARIANT":
      return "variants";
    case "POLICY_COLUMN":
      return `columns.${study.table}`;
    case "POLICY_EPSILON":
      return "perStudy.epsilon";
    case "POLICY_DELTA":
      return "perStudy.delta";
    case "POLICY_SITES":
      return "minimumSites";
    case "POLICY_COLLUDING":
      return "tolerateColluding";
    case "POLICY_SCHEDULE":
      return "answerOn.schedule";
    default:
      throw new RangeError(`no rule of a policy refuses with ${code}`);
  }
}

function approvalDecision(plan: Plan, policy: Policy): DecisionView {
  const outcome = approvalOf(policy, plan);
  const { approval } = policy;
  if (approval === "person") {
    const words = "The policy allows it and leaves every decision to a person.";
    return { outcome, rule: "approval", words, code: null };
  }
  if (approval === "automatic") {
    const words = "The policy allows it and asks nobody: this hospital joins by itself.";
    return { outcome, rule: "approval", words, code: null };
  }
  const { maxEpsilon, variants } = approval.automatic;
  const rule = "approval.automatic";
  const offered = `The policy decides by itself on studies of ${variants.join(" or ")} variants that cost at most epsilon ${maxEpsilon}.`;
  if (outcome === "automatic") {
    return { outcome, rule, words: `${offered} This one is such a study: nobody is asked.`, code: null };
  }
  return {
    outcome,
    rule,
    words: `${offered} ${whyPerson(plan, { variants })} A person decides.`,
    code: null,
  };
}

function whyPerson(plan: Plan, { variants }: { readonly variants: readonly string[] }): string {
  const variant = variantOf(plan);
  const { epsilon } = plan.claim;
  if (variant === null || epsilon === null) return "This one has no privacy at all.";
  if (!variants.includes(variant))
    return variant === "paper"
      ? "Of this one the privacy is claimed by the method's authors and not proved."
      : "Of this one the privacy is proved.";
  return `This one costs epsilon ${epsilon}.`;
}

function sentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
