import type { ErrorCode } from "@consilium/core/errors";
import type { DecisionView } from "@consilium/core/hospital/policyViews";
import { readSaid } from "@consilium/core/readSaid";
import { lines, nameOf } from "@consilium/core/said";
import type { Plan } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import type { StudySays } from "@consilium/words/says/studies";
import { costText, type Judged, judge, type Permissions } from "./judge.js";
import { approvalOf, type Policy, variantOf } from "./policy.js";

const line = lines<StudySays>();

/**
 * Which rule of the policy decides on a study, in words: the same for the page that approves and for the editor that
 * tries a policy out. The budget and the table's rows are judged later, when the study is joined.
 */
export function decisionOn(study: Study, plan: Plan, permissions: Permissions): DecisionView {
  const judged = judge(study, plan, permissions);
  if (judged.ok) return approvalDecision(study, plan, permissions.policy, judged.value);
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
    case "POLICY_POPULATION":
      return "populations";
    case "POLICY_UNIT":
      return `tables.${study.table}.unit of config.yaml`;
    case "POLICY_SITES":
      return "minimumSites";
    case "POLICY_COLLUDING":
      return "tolerateColluding";
    case "POLICY_PER_HOSPITAL":
      return "figures.perHospital";
    case "POLICY_REQUEST":
      return "requires";
    case "POLICY_SCHEDULE":
      return "answerOn.schedule";
    default:
      throw new RangeError(`no rule of a policy refuses with ${code}`);
  }
}

function approvalDecision(study: Study, plan: Plan, policy: Policy, judged: Judged): DecisionView {
  const outcome = approvalOf(policy, plan, judged);
  const { approval } = policy;
  if (approval === "person") {
    const words =
      policy.approvals === 2
        ? "Allowed by the policy; two people must approve."
        : "Allowed by the policy; manual approval required.";
    return { outcome, rule: "approval", words, code: null };
  }
  if (!judged.unit.declared) {
    const words =
      `The configuration does not say whether a row of table ${study.table} is a patient, so that no rule joins a study of it. ` +
      `A person decides. Write unit: rows, or unit: {patient: {column: …, maxRows: …}}, under tables.${study.table} in config.yaml.`;
    return { outcome, rule: `tables.${study.table}.unit of config.yaml`, words, code: null };
  }
  if (!judged.hasDeclaredColumns) {
    const words =
      `The configuration does not say whether the first row of table ${study.table} holds names or a record, so that no rule joins a study of it. ` +
      `A person decides. Write csv: {header: true}, or format, under tables.${study.table} in config.yaml.`;
    return { outcome, rule: `tables.${study.table}.csv of config.yaml`, words, code: null };
  }
  if (judged.unanswered >= policy.maxUnanswered) {
    const words = line("study.unanswered", {
      studies: judged.unanswered,
      population: nameOf(judged.population.name),
      max: policy.maxUnanswered,
    });
    return { outcome, rule: "maxUnanswered", words, code: null };
  }
  if (policy.minimumRows > 0 && variantOf(plan) === "sound") {
    const words =
      `Whether the table has ${policy.minimumRows} rows the policy leaves to a person: if a rule refused a study of too few, ` +
      "it would tell the operator how many there are.";
    return { outcome, rule: "minimumRows", words, code: null };
  }
  if (approval === "automatic") {
    const words = `The policy allows it and asks nobody: this hospital joins by itself. It costs ${costText(judged.cost)}.`;
    return { outcome, rule: "approval", words, code: null };
  }
  const { maxEpsilon, maxDelta, variants } = approval.automatic;
  const rule = "approval.automatic";
  const offered =
    `The policy decides by itself on studies of ${variants.join(" or ")} variants that cost at most epsilon ${maxEpsilon} ` +
    `per ${judged.cost.charging.unit} at the population's delta ${judged.population.delta}, with a delta of their own of at most ${maxDelta}.`;
  if (outcome === "automatic") {
    const words = `${offered} This one costs ${costText(judged.cost)}: nobody is asked.`;
    return { outcome, rule, words, code: null };
  }
  const why = whyPerson(plan, { variants, maxEpsilon, cost: judged.cost });
  return { outcome, rule, words: `${offered} ${why} A person decides.`, code: null };
}

function whyPerson(
  plan: Plan,
  of: { readonly variants: readonly string[]; readonly maxEpsilon: number; readonly cost: Judged["cost"] },
): string {
  const variant = variantOf(plan);
  const { epsilon } = of.cost;
  if (variant === null || epsilon === null) return "This one has no privacy at all.";
  if (!of.variants.includes(variant))
    return variant === "paper"
      ? "Of this one the privacy is claimed by the method's authors and not proven."
      : "Of this one the privacy is proven.";
  if (epsilon > of.maxEpsilon) return `This one costs ${costText(of.cost)}.`;
  return `The delta of this one is ${plan.claim.delta}.`;
}

function sentence(text: string): string {
  if (readSaid(text) !== null) return `${text}.`;
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
