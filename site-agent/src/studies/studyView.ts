import { readCanonicalJson } from "@consilium/core/canonicalJson";
import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { firstDifference } from "@consilium/core/release/difference";
import { unwrap } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import { documentOnRoster, fewestInSum } from "@consilium/core/study/onRoster";
import { type Plan, planStudy, type StagePlan } from "@consilium/core/study/plan";
import { planHash, planText } from "@consilium/core/study/planFacts";
import type { Study, StudyDocument } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import type { ExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import type { Roster } from "@consilium/secure-sum/roster";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { Policy } from "../policy/policy.js";
import type { SiteStudy } from "./records.js";
import type { SiteMethods } from "./siteMethods.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

/** A study that this site is in, with everything it has read and verified for itself. */
export interface StudyView {
  readonly record: SiteStudy;
  readonly document: StudyDocument;
  readonly plan: Plan;
  readonly planHash: Sha256;
  readonly roster: Roster;
  readonly self: SiteId;
  readonly exchange: ExchangeKey;
  /** Sites of the roster that this hospital has not pinned; they count as colluding. */
  readonly distrusted: number;
  /** Whether this hospital has pinned a site of the roster, or pins none. */
  readonly isTrusted: (site: SiteId) => boolean;
  /** As it was when this process saw the roster. */
  readonly policy: Pick<Policy, "figures" | "members">;
}

/**
 * A study as this site reads it on a roster of so many sites; null before there is one.
 * @throws ConsiliumError PLAN_DIFFERS where another plan was fixed with the roster: the software was exchanged since
 */
export function plannedOn(
  record: Pick<SiteStudy, "id" | "text" | "hash" | "planHash" | "planText">,
  sites: number | null,
  methods: Pick<SiteMethods, "read">,
): Pick<StudyView, "document" | "plan" | "planHash"> {
  const read = unwrap(methods.read(record.text, record.hash));
  const document = sites === null ? read : documentOnRoster(read, sites);
  const plan = planStudy(document.study);
  const hash = planHash(document.study, plan);
  if (record.planHash !== null && record.planHash !== hash) {
    const own = JSON.parse(planText(document.study, plan));
    throw planChanged(
      record.id,
      record.planText === null ? null : firstDifference(JSON.parse(record.planText), own),
    );
  }
  return { document, plan, planHash: hash };
}

/**
 * Before a study has a roster.
 * @param theirs - facts of the aggregator's plan
 * @throws ConsiliumError PLAN_DIFFERS, naming the first place where it is another than this site's
 */
export function demandSamePlan(id: StudyId, { study }: StudyDocument, theirs: string): void {
  const own = planText(study, planStudy(study));
  if (theirs === own) return;
  const read = readCanonicalJson(theirs);
  throw planDiffers(id, read.ok ? firstDifference(read.value, JSON.parse(own)) : null);
}

/** The aggregator's plan is another. @param at - where first, as far as it is known */
export function planDiffers(study: StudyId, at: string | null): ConsiliumError {
  return fault("PLAN_DIFFERS", "work.plan-differs", differing(study, at));
}

const differing = (study: StudyId, at: string | null) => ({
  study,
  software: nameOf(softwareVersion),
  at: at === null ? null : nameOf(at),
});

/** The plan that this site has reserved or charged by is another. @param at - where first, as far as it is known */
export function planChanged(study: StudyId, at: string | null = null): ConsiliumError {
  const remedy = said("work.run-older", {});
  return fault("PLAN_DIFFERS", "work.plan-changed", differing(study, at), { remedy });
}

/**
 * So many sites that this hospital trusts must be on a study's roster, and among the survivors of each of its sums. All
 * others count as colluding: where the sites' noise protects, the trusted ones alone must add as much of it as is promised.
 */
export function trustedLeast(plan: Plan, study: Study): number {
  const isNoisy = sumStages(plan).some((stage) => stage.noise !== null);
  return isNoisy ? fewestInSum(study) : study.participation.minimumSites;
}

/** A stage of the plan that sums vectors, and the one after it. */
export type SumStagePlan = Extract<StagePlan, { kind: "sum" }>;

export function sumStages(plan: Plan): SumStagePlan[] {
  return plan.stages.filter((stage) => stage.kind === "sum");
}

/** The next stage of the plan that sums vectors: its keys travel with this one's vector. */
export function sumStageAfter(plan: Plan, stage: SumStagePlan): SumStagePlan | null {
  const stages = sumStages(plan);
  return stages[stages.findIndex((one) => one.id === stage.id) + 1] ?? null;
}

/** A study that nobody has offered here. */
export function unknownStudy(study: string): ConsiliumError {
  const remedy = said("work.list-studies", {});
  return fault("STUDY_UNKNOWN", "work.unknown-study", { study: nameOf(study) }, { remedy });
}
