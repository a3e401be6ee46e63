import type { ProtectionTopic } from "@consilium/core/hospital/dataProtectionViews";
import type { PopulationView } from "@consilium/core/hospital/ledgerViews";
import { lines } from "@consilium/core/said";
import { counted, listed, numberText } from "@consilium/core/words";
import type { PlanSays } from "@consilium/words/says/plans";
import { allowsUnproved, type SiteFacts } from "./facts.js";
import { oddsFactor, threeDigitsDown, threeDigitsUp } from "./plainText.js";

const line = lines<PlanSays>();

/** What the policy and the ledger promise for the people in the tables, in words. */
export function guaranteesOf(facts: SiteFacts): ProtectionTopic[] {
  const { policy, populations } = facts;
  return [
    { title: "What the guarantee means", paragraphs: meaning() },
    { title: "Privacy budget and spending", paragraphs: populations.map(budgetWords) },
    { title: "Allowed studies", paragraphs: limits(facts) },
    { title: "Approval", paragraphs: [deciding(policy)] },
    { title: "Methods without a proof", paragraphs: unproved(facts) },
  ];
}

function meaning(): string[] {
  return [
    "Differential privacy compares two worlds: one in which a person's data (or a record, as each study states) was used, and one in which it was not. For any conclusion from all published results, its odds in the two worlds differ by at most a factor determined by epsilon, except with a probability of about delta.",
    "A limit below bounds that factor for all studies with a proof about these people together, permanently; a study that would go beyond it is refused by this hospital's own agent, whatever the aggregator says.",
  ];
}

function budgetWords(one: PopulationView): string {
  const { name, tables, delta, unit, limit, spent, reserved, remaining, unbounded } = one;
  const whose = tables.length === 0 ? "all tables not in another population" : `table ${listed(tables)}`;
  const at = `per ${unit} at delta ${numberText(delta)}`;
  const budget =
    limit === null
      ? `Population ${name} (${whose}): the policy sets no limit.`
      : `Population ${name} (${whose}): epsilon ${numberText(limit)} ${at} for all studies together, permanently; when it is used up, the odds differ by a factor of at most ${oddsFactor(limit)}.`;
  const state = `Spent: epsilon ${threeDigitsUp(spent)} per ${unit}${spent > 0 ? ` (a factor of at most ${oddsFactor(spent)})` : ""}${reserved > 0 ? `, and ${threeDigitsUp(reserved)} reserved for running studies` : ""}.${remaining === null ? "" : ` Remaining: ${threeDigitsDown(remaining)}.`}`;
  const without =
    unbounded === 0
      ? ""
      : ` Besides, ${counted(unbounded, "release")} without a proof: in total these people no longer have a proven bound.`;
  return [`${budget} ${state}${without}`, ...one.notes].join(" ");
}

function limits({ policy, hasPolicyFile }: SiteFacts): string[] {
  const { perStudy, minimumSites, minimumRows, tolerateColluding, figures, pinned } = policy;
  const caps = [
    ...(perStudy.epsilon === undefined ? [] : [`epsilon ${numberText(perStudy.epsilon)}`]),
    ...(perStudy.delta === undefined ? [] : [`delta ${numberText(perStudy.delta)}`]),
  ];
  return [
    ...(hasPolicyFile ? [] : ["This hospital has written no policy; what follows are the defaults."]),
    `Analyses: ${listed(policy.analyses) || "none"}.`,
    `Variants: ${listed(policy.variants) || "none"}. sound means proven privacy, paper that it is claimed by a method's authors.`,
    caps.length === 0
      ? "One study may use the population's whole remaining budget."
      : `One study may cost at most ${listed(caps)}.`,
    `A study brings together at least ${minimumSites} hospitals${minimumRows === 0 ? "" : ` and uses at least ${minimumRows} rows of this one`}.`,
    tolerateColluding === 0
      ? "The policy does not require studies to tolerate hospitals colluding with the aggregator; a study with a proof withstands one at least."
      : `A study withstands at least ${counted(tolerateColluding, "hospital")} colluding with the aggregator.`,
    line(figures.perHospital ? "plan.policy-per-hospital" : "plan.policy-together", {}),
    pinned === 0
      ? "No other hospital's key is pinned: any hospital certified by the federation can take part."
      : `The keys of ${counted(pinned, "hospital")} are pinned; only these and this one count toward the number above, and all others count as colluding with the aggregator.`,
  ];
}

function deciding({ approval }: SiteFacts["policy"]): string {
  if (approval === "person")
    return "Every study needs manual approval at this hospital before its tables are used.";
  if (approval === "automatic")
    return "No manual approval: this hospital joins every study that the rules above allow, for tables with a declared unit of privacy.";
  const { maxEpsilon, maxDelta, variants } = approval.automatic;
  return `A person approves, except for studies of variant ${variants.join(" or ")} that cost at most epsilon ${numberText(maxEpsilon)} at the population's delta, with a delta of their own of at most ${numberText(maxDelta)}, of tables whose unit of privacy the configuration declares: those this hospital joins by itself.`;
}

function unproved(facts: SiteFacts): string[] {
  const { policy, config } = facts;
  return [
    policy.variants.includes("paper")
      ? "The policy allows variant paper. Such a study runs a method as its authors published it; its privacy is claimed, and this project's audit says why the claim does not hold. Some of them send this hospital's rows, reduced or as intervals, to the aggregator, and publish them. Each is entered as spending without a bound."
      : "The policy does not allow variant paper: a method whose privacy is claimed by its authors and not proven is refused before any record is read.",
    config.allowNoPrivacy
      ? "The configuration allows studies without any privacy (allowNoPrivacy): meant for public data only."
      : "Studies without any privacy are refused (allowNoPrivacy is off).",
    ...(allowsUnproved(facts)
      ? ["For personal data, take both out of policy and configuration, or justify them in the assessment."]
      : []),
  ];
}

/** What the guarantee is silent about: docs/THREAT_MODEL.md, "What does not hold". */
export function notCovered(facts: SiteFacts): string[] {
  const withoutPatient = facts.studies.some(({ joined, patient }) => joined && patient === null);
  return [
    "The software, its protocol and its cryptography have had no external review. Until then SECURITY.md advises against use on data whose disclosure would cause harm.",
    "Facts about groups: a study may show that a disease correlates with age, which also allows conclusions about patients who are not in it.",
    withoutPatient
      ? "A patient with several rows, in studies that name no patient column: there the unit is one row, and patients with more rows are protected less."
      : "A patient with more rows than a study counts per patient, as a study that names no patient column would have it.",
    "A patient who is at several hospitals of a study: hospitals cannot compare patients, and at m of them the cost grows with the square of m before it is expressed as epsilon.",
    "A patient who is in tables of two populations: each has a budget of its own. Put tables with the same patients into one population.",
    "More hospitals colluding with the aggregator than a study withstands.",
    ...(facts.policy.pinned === 0
      ? ["Hospitals invented by the aggregator: it holds the certifying key, and this policy pins no keys."]
      : []),
    "That this hospital takes part: it is public.",
    "This machine: anyone who can read its memory or disk can read what the agent can read.",
    "Studies without a proof: see above.",
    "The whole list, with its reasons: docs/THREAT_MODEL.md of the documentation.",
  ];
}
