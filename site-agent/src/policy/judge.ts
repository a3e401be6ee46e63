import { ConsiliumError, type ErrorCode } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { omopReads } from "@consilium/core/omop/reads";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { toldApart } from "@consilium/core/study/apart";
import { plainText } from "@consilium/core/study/plainText";
import type { Plan } from "@consilium/core/study/plan";
import { columnsRead } from "@consilium/core/study/recoding";
import { deltaFault, type Study } from "@consilium/core/study/study";
import type { PlanSays } from "@consilium/words/says/plans";
import type { TableUnit } from "../data/tableUnit.js";
import { shownUp } from "../ledger/epsilon.js";
import type { KnownTables } from "../tables/knownTables.js";
import { type Policy, type PopulationBudget, populationOf, type Variant, variantOf } from "./policy.js";
import { type Charging, chargingOf, type JudgedCost, judgedCost } from "./unitCost.js";

/** What the hospital allows: its policy, and what stands in config.yaml of permissions and tables. */
export interface Permissions {
  readonly policy: Policy;
  readonly allowNoPrivacy: boolean;
  readonly tables: Pick<KnownTables, "unit" | "hasDeclaredColumns">;
  /** Number of studies of a population that run without an answer, or ended so since a person last decided on one. */
  readonly unanswered: (population: string) => number;
}

/** A study that the policy allows: whose budget it spends, in which unit, and what it costs. */
export interface Judged {
  readonly population: PopulationBudget;
  readonly unit: TableUnit;
  readonly cost: JudgedCost;
  /** Whether somebody has said that the names of the table's columns are names. */
  readonly hasDeclaredColumns: boolean;
  /** Number of the population's studies that have given no answer, as in `Permissions`. */
  readonly unanswered: number;
}

const planFault = faults<PlanSays>();

/** At most so many columns are named in one message. */
const namedMax = 20;

/**
 * The hospital's own judgement of a study, from its own reading of the plan; before any record is read.
 * @returns the first rule that the study breaks: POLICY_ANALYSIS, POLICY_NO_PRIVACY, POLICY_VARIANT, POLICY_COLUMN,
 *   POLICY_POPULATION, POLICY_UNIT, POLICY_EPSILON, POLICY_DELTA, POLICY_SITES, POLICY_COLLUDING, POLICY_PER_HOSPITAL, POLICY_REQUEST or
 *   POLICY_SCHEDULE
 */
export function judge(study: Study, plan: Plan, permissions: Permissions): Result<Judged, ConsiliumError> {
  const { policy } = permissions;
  const before =
    analysisFault(study, policy) ??
    variantFault(study, variantOf(plan), permissions) ??
    columnFault(study, permissions);
  if (before !== null) return err(before);
  const charged = chargedTo(study, plan, permissions);
  if (!charged.ok) return charged;
  const { population, unit, charging } = charged.value;
  const cost = judgedCost(plan, charging, population.delta);
  const fault =
    costFault(study, plan, { policy, population, cost }) ??
    sitesFault(study, plan, policy) ??
    perHospitalFault(study, policy) ??
    requestFault(study, policy) ??
    scheduleFault(study, policy);
  const hasDeclaredColumns = permissions.tables.hasDeclaredColumns(study.table);
  if (fault !== null) return err(fault);
  const unanswered = permissions.unanswered(population.name);
  return ok({ population, unit, cost, hasDeclaredColumns, unanswered });
}

/** What a study's text says for itself, whether or not its method is known. */
export type UnreadStudy = Pick<Study, "name" | "analysis" | "method" | "variant" | "privacy">;

/**
 * The judgement of a study whose method this site has not loaded, as far as its text goes.
 * @returns POLICY_ANALYSIS, POLICY_NO_PRIVACY or POLICY_VARIANT; null where the policy asks for none of them
 */
export function judgeUnread(
  study: UnreadStudy,
  permissions: Pick<Permissions, "policy" | "allowNoPrivacy">,
): ConsiliumError | null {
  const variant = study.privacy === "none" ? null : study.variant;
  return analysisFault(study, permissions.policy) ?? variantFault(study, variant, permissions);
}

/**
 * To which population a study is charged, and in which unit.
 * @returns POLICY_POPULATION or POLICY_UNIT
 */
export function chargedTo(
  study: Study,
  plan: Plan,
  { policy, tables }: Pick<Permissions, "policy" | "tables">,
): Result<
  { readonly population: PopulationBudget; readonly unit: TableUnit; readonly charging: Charging },
  ConsiliumError
> {
  const population = populationOf(policy, study.table);
  if (population === null) {
    return err(
      refusal(
        "POLICY_POPULATION",
        study,
        `no population of the policy has table ${study.table}, so that it has no budget`,
        `add ${study.table} to the tables of a population in policy.yaml, or declare a population default`,
      ),
    );
  }
  const unit = tables.unit(study.table);
  const charging = chargingOf(study, plan, unit);
  return charging.ok ? ok({ population, unit, charging: charging.value }) : charging;
}

/** Once the table is read: its usable rows. The code says something of the records, so it stays at the site. */
export function judgeRows(study: Study, rows: number, policy: Policy): Result<void, ConsiliumError> {
  const least = policy.minimumRows;
  if (rows >= least) return ok(undefined);
  return err(
    refusal(
      "POLICY_ROWS",
      study,
      `it can use ${rows} rows of this hospital, the policy asks for at least ${least}`,
      `lower minimumRows in policy.yaml, or wait for more records`,
    ),
  );
}

function refusal(code: ErrorCode, study: Pick<Study, "name">, what: string, remedy: string): ConsiliumError {
  return new ConsiliumError(code, `study ${study.name}: ${what}`, { remedy });
}

function analysisFault(study: UnreadStudy, policy: Policy): ConsiliumError | null {
  if (policy.analyses.includes(study.analysis)) return null;
  const allowed = policy.analyses.join(", ") || "none";
  return refusal(
    "POLICY_ANALYSIS",
    study,
    `its analysis is ${study.analysis}, the policy allows ${allowed}`,
    `add ${study.analysis} to analyses in policy.yaml`,
  );
}

/** @param variant - null where nothing is private */
function variantFault(
  study: UnreadStudy,
  variant: Variant | null,
  permissions: Pick<Permissions, "policy" | "allowNoPrivacy">,
): ConsiliumError | null {
  if (variant === null) {
    if (permissions.allowNoPrivacy) return null;
    return new ConsiliumError("POLICY_NO_PRIVACY", `study ${study.name} adds no noise anywhere`);
  }
  const { variants } = permissions.policy;
  if (variants.includes(variant)) return null;
  const what =
    variant === "sound"
      ? `its privacy is proven, the policy allows ${variants.join(", ") || "nothing"} alone`
      : `the privacy of ${study.method} is claimed, not proven`;
  return refusal("POLICY_VARIANT", study, what, `add ${variant} to variants in policy.yaml`);
}

/** Every column that a study reads, the patient's included. */
export function columnsOf(study: Study): string[] {
  return [...columnsRead(study), ...(study.patient === undefined ? [] : [study.patient.column])];
}

/** Whether the policy lets studies name a column of a table. */
export function columnRuleOf(policy: Policy, table: string): (column: string) => boolean {
  const rule = Object.hasOwn(policy.columns, table) ? policy.columns[table] : undefined;
  const plain = (name: string) => plainText(name).toLowerCase();
  const denied = new Set(rule?.deny?.map(plain));
  const allowed = rule?.allow === undefined ? null : new Set(rule.allow);
  return (name) => !denied.has(plain(name)) && allowed?.has(name) !== false;
}

function columnFault(
  study: Study,
  { policy, tables }: Pick<Permissions, "policy" | "tables">,
): ConsiliumError | null {
  const isAllowed = columnRuleOf(policy, study.table);
  const unit = tables.unit(study.table);
  // The study's author chooses the columns' names there: a rule is about what the plan reads.
  const plan = unit.kind === "patient" && unit.isOmop === true ? study.omop : undefined;
  const named = plan === undefined ? columnsOf(study) : omopReads(plan);
  const refused = named.filter((name) => !isAllowed(name));
  if (refused.length === 0) return null;
  const shown = refused.slice(0, namedMax).map((name) => JSON.stringify(name));
  if (refused.length > namedMax) shown.push(`${refused.length - namedMax} more`);
  return refusal(
    "POLICY_COLUMN",
    study,
    `of table ${study.table} it names ${shown.join(", ")}, which the policy does not allow`,
    `leave ${refused.length === 1 ? "it" : "them"} out of the study, or change columns.${study.table} in policy.yaml`,
  );
}

/** A study that sets a ρ of its own costs that ρ, which is more than zCDP allows at its ε. */
function setsRho({ privacy }: Study): boolean {
  return privacy !== "none" && privacy.rho !== undefined;
}

/** The ε of a proven study is that of its ρ at the population's δ: its own ε means nothing beside a δ of its own. */
function costFault(
  study: Study,
  plan: Plan,
  {
    policy,
    population,
    cost,
  }: { readonly policy: Policy; readonly population: PopulationBudget; readonly cost: JudgedCost },
): ConsiliumError | null {
  const { epsilon } = cost;
  const { delta } = plan.claim;
  const { perStudy } = policy;
  const ceiling = deltaFault(study);
  if (ceiling !== null)
    return refusal("POLICY_DELTA", study, `privacy.delta: ${ceiling}`, "lower privacy.delta in the study");
  if (epsilon !== null && perStudy.epsilon !== undefined && epsilon > perStudy.epsilon) {
    return refusal(
      "POLICY_EPSILON",
      study,
      `it costs ${costText(cost)}${cost.claimed ? "" : ` of population ${population.name}`}, the policy allows epsilon ${perStudy.epsilon} for one study`,
      `${setsRho(study) ? "leave privacy.rho out of" : "lower privacy.epsilon in"} the study, or raise perStudy.epsilon in policy.yaml`,
    );
  }
  if (delta !== null && perStudy.delta !== undefined && delta > perStudy.delta) {
    return refusal(
      "POLICY_DELTA",
      study,
      `its delta is ${delta}, the policy allows ${perStudy.delta} for one study`,
      "lower privacy.delta in the study, or raise perStudy.delta in policy.yaml",
    );
  }
  return null;
}

/**
 * @param apart - what a study shows of too few hospitals; left out: by the sites that it invites, and by the names of the
 *   policy's members, beside which others may stand. Where it invites every site, the roster says who they are
 * @returns POLICY_PER_HOSPITAL for a sound study, unless the policy allows it
 */
export function perHospitalFault(
  study: Study,
  { figures, members }: Pick<Policy, "figures" | "members">,
  apart = toldApart(study, study.participation.sites ?? []) ?? toldApart(study, Object.keys(members), false),
): ConsiliumError | null {
  if (apart === null || figures.perHospital || study.variant !== "sound") return null;
  const refused = { study: nameOf(study.name), ...apart };
  return planFault("POLICY_PER_HOSPITAL", "plan.per-hospital-refused", refused);
}

function requestFault(study: Study, { requires }: Policy): ConsiliumError | null {
  const missing = requires.filter((key) => study.request?.[key] === undefined).map((key) => `request.${key}`);
  if (missing.length === 0) return null;
  return refusal(
    "POLICY_REQUEST",
    study,
    `it does not state ${missing.join(", ")}, which the policy requires`,
    `add ${missing.length === 1 ? "it" : "them"} to the study, or change requires in policy.yaml`,
  );
}

/** An answer leaves up to two intervals after it was asked for, and is made anew after a fault. */
function scheduleFault(study: Study, { answerOn }: Policy): ConsiliumError | null {
  if (answerOn === "ready") return null;
  const leastMs = 3_000 * answerOn.schedule;
  if (study.participation.phaseDeadline >= leastMs) return null;
  return refusal(
    "POLICY_SCHEDULE",
    study,
    `its steps wait ${study.participation.phaseDeadline / 1000} s for an answer, this hospital answers every ${answerOn.schedule} s`,
    `raise participation.phaseDeadline in the study to ${leastMs / 1000}s at least, or lower answerOn.schedule in policy.yaml`,
  );
}

/** `epsilon 0.5 per patient at delta 1e-6`: rounded up, as everything that is spent. */
export function costText({ epsilon, delta, claimed, charging }: JudgedCost): string {
  const shown = epsilon === null ? "unknown" : String(claimed ? epsilon : shownUp(epsilon, 6));
  return `epsilon ${shown} per ${charging.unit} at delta ${delta}`;
}

function sitesFault(study: Study, plan: Plan, policy: Policy): ConsiliumError | null {
  const { minimumSites, tolerateColluding } = study.participation;
  if (minimumSites < policy.minimumSites) {
    return refusal(
      "POLICY_SITES",
      study,
      `it may run with ${minimumSites} sites, the policy asks for at least ${policy.minimumSites}`,
      "raise participation.minimumSites in the study, or lower minimumSites in policy.yaml",
    );
  }
  // Anyone who deals the masks knows them all: with the aggregator it sees every site's vector.
  const withstood = plan.masking === "dealer" ? 0 : tolerateColluding;
  if (withstood >= policy.tolerateColluding) return null;
  return refusal(
    "POLICY_COLLUDING",
    study,
    `it withstands ${withstood} colluding sites${plan.masking === "dealer" ? " (one site deals all masks)" : ""}, the policy asks for at least ${policy.tolerateColluding}`,
    plan.masking === "dealer"
      ? "choose a method with pairwise masks, or lower tolerateColluding in policy.yaml"
      : "raise participation.tolerateColluding in the study, or lower tolerateColluding in policy.yaml",
  );
}
