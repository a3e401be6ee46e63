import type { PlanSays } from "@consilium/words/says/plans";
import type { StudySays } from "@consilium/words/says/studies";
import { defaultBudget } from "../privacy/defaultBudget.js";
import { lines } from "../said.js";

/**
 * A hospital's policy in words: every rule in a sentence, the defaults of keys that are left out included. It takes what a
 * valid policy.yaml holds; the agent says whether it is valid.
 */

const line = lines<PlanSays & StudySays>();

type Members = Readonly<Record<string, unknown>>;

const members = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const listed = (value: unknown) => texts(value).join(", ");

type Sentence = (value: unknown) => readonly string[];

/** By key, in the order in which they are shown. */
const sentences: Readonly<Record<string, Sentence>> = {
  analyses: (value) => [
    value === undefined ? "Studies may be of any analysis." : `Studies may be of: ${listed(value)}.`,
  ],
  variants: (value) => {
    const known = value === undefined ? ["sound"] : texts(value);
    if (known.length === 0) return ["No study is allowed: no variant is."];
    return [
      known.includes("paper")
        ? `Privacy need not be proven: ${known.join(" and ")} methods are allowed.`
        : "Privacy must be proven (sound methods only).",
    ];
  },
  approval: (value) => {
    const rule = members(members(value).automatic);
    if (value === "automatic") return ["Studies that these rules allow are joined without asking anyone."];
    if (rule.maxEpsilon === undefined) return ["A person at this hospital approves every study."];
    const variants = rule.variants === undefined ? "sound" : listed(rule.variants);
    return [
      `Nobody is asked for ${variants} studies of at most epsilon ${rule.maxEpsilon} and delta ${rule.maxDelta}; a person approves the others.`,
    ];
  },
  approvals: (value) => (value === 2 ? ["Two different people must approve a study."] : []),
  maxUnanswered: (value) => (typeof value === "number" ? [line("study.max-unanswered", { max: value })] : []),
  requires: (value) => (texts(value).length === 0 ? [] : [`A study must state: ${listed(value)}.`]),
  perStudy: (value) => {
    const { epsilon, delta } = members(value);
    if (epsilon === undefined && delta === undefined)
      return ["One study may cost as much as its population's budget has left."];
    const limits = [
      ...(epsilon === undefined ? [] : [`epsilon ${epsilon}`]),
      ...(delta === undefined ? [] : [`delta ${delta}`]),
    ];
    return [`One study may cost at most ${limits.join(" and ")}.`];
  },
  populations: (value) => {
    const declared = Object.entries(members(value));
    if (declared.length === 0)
      return [
        `All tables share one permanent budget: epsilon ${defaultBudget.epsilon} at delta ${defaultBudget.delta.toExponential()}.`,
      ];
    return declared.map(([name, one]) => {
      const { tables, epsilon, delta = defaultBudget.delta } = members(one);
      const whose =
        texts(tables).length === 0 && name === "default" ? "all tables that no other names" : listed(tables);
      const budget =
        epsilon === "unlimited"
          ? "no limit"
          : `epsilon ${epsilon} at delta ${delta}, over all studies, permanently`;
      return `Population ${name} (${whose}): ${budget}.`;
    });
  },
  columns: (value) =>
    Object.entries(members(value)).map(([table, rule]) => {
      const { allow, deny } = members(rule);
      return allow === undefined
        ? `Of table ${table} studies may name all columns except ${listed(deny)}.`
        : `Of table ${table} studies may name only ${listed(allow) || "no column"}.`;
    }),
  announce: (value) => {
    if (value === "nothing") return ["The aggregator is told nothing about the tables."];
    if (value === "described")
      return [
        "The aggregator is told the tables' names, and of the columns that studies may name the names, types, units, bounds and levels, as people here wrote them.",
        "It is also told what this policy lets studies ask, and what is left of each table's budget, rounded down to a tenth.",
      ];
    if (value === "tables") return ["The aggregator is told the tables' names."];
    return [
      "The aggregator is told the tables' names, and the names and types of the columns that studies may name.",
    ];
  },
  publishRefusals: (value) => [
    value === true
      ? "Where this hospital does not take part, a release may say by which code."
      : "No release says why this hospital did not take part.",
  ],
  minimumSites: (value) => [`A study needs at least ${value ?? 3} hospitals.`],
  minimumRows: (value) =>
    value === undefined || value === 0 ? [] : [`A study must use at least ${value} rows of this hospital.`],
  minimumUsable: (value) => [
    `People are told where a study uses less than ${value ?? 80} % of the rows that it means to use.`,
  ],
  tolerateColluding: (value) =>
    value === undefined || value === 0
      ? []
      : [`A study must withstand ${value} sites that collude with the aggregator.`],
  figures: (value) => [
    line(members(value).perHospital === true ? "plan.policy-per-hospital" : "plan.policy-together", {}),
  ],
  members: (value) => {
    const names = Object.keys(members(value));
    return names.length === 0
      ? ["All hospitals that the federation has certified count."]
      : [`Only these hospitals count, by their keys: ${names.join(", ")}.`];
  },
  answerOn: (value) => {
    const { schedule } = members(value);
    return schedule === undefined
      ? ["Answers are sent when they are ready."]
      : [`Answers are sent at whole multiples of ${schedule} s.`];
  },
};

/** The keys that a policy may have and that are put into words. */
export const wordedPolicyKeys: readonly string[] = Object.keys(sentences);

/** @param policy - the content of a valid policy.yaml; `{}` or null is a hospital that has written none */
export function policyWords(policy: unknown): string[] {
  const written = members(policy);
  return Object.entries(sentences).flatMap(([key, sentence]) => sentence(written[key]));
}
