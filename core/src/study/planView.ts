import { thresholdFor } from "@consilium/secure-sum/parameters";
import type { PlanSays } from "@consilium/words/says/plans";
import type { PlanView } from "../operator/views.js";
import { epsilonFromRho, rhoFromEpsilon } from "../privacy/conversions.js";
import { defaultBudget } from "../privacy/defaultBudget.js";
import { epsilonUp } from "../privacy/words.js";
import { lines } from "../said.js";
import { type Plan, planStudy, stageUploadBytes } from "./plan.js";
import { type Study, studyDocument } from "./study.js";
import { uploadBytes } from "./uploads.js";

/** What a study will do and cost, without starting it: the same offline and from the operator's API. */
export function planView(study: Study): PlanView {
  const plan = planStudy(study);
  return {
    name: study.name,
    hash: studyDocument(study).hash,
    claim: plan.claim,
    warnings: [...plan.warnings, ...budgetWarnings(plan), ...releaseWarnings(study.release)],
    uploadBytesPerSite: uploadBytes(plan, study),
    thresholds: thresholds(plan, study),
    stages: plan.stages.map((stage) => ({
      id: stage.id,
      kind: stage.kind,
      length: stage.kind === "sum" ? stage.length : null,
      uploadBytes: stageUploadBytes(stage, study),
      disclosure: stage.disclosure,
    })),
  };
}

const line = lines<PlanSays>();

/** Warning where hospitals with the default budget, of which they have spent nothing, could not take part. */
function budgetWarnings({ claim }: Plan): string[] {
  const { epsilon, delta } = claim;
  if (claim.verdict !== "proved" || epsilon === null || delta === null) return [];
  const rho = rhoFromEpsilon({ epsilon, delta });
  const { epsilon: limit, delta: budgetDelta } = defaultBudget;
  const needs = epsilonFromRho({ rho, delta: budgetDelta });
  if (needs <= limit) return [];
  return [line("plan.beyond-budget", { needs: epsilonUp(needs), limit, delta: budgetDelta })];
}

/** What readers of the release would miss. */
const releaseWarnings = ({ creator, license }: Study["release"]): string[] => [
  ...(license === undefined ? [line("plan.no-licence", {})] : []),
  ...(creator === undefined ? [line("plan.no-creator", {})] : []),
];

/** Of the sites that are named, or of the fewest that may be, one more, and twice as many. */
function thresholds(plan: Plan, study: Study): PlanView["thresholds"] {
  const { minimumSites, tolerateColluding, sites } = study.participation;
  const sizes = sites === undefined ? [minimumSites, minimumSites + 1, 2 * minimumSites] : [sites.length];
  return sizes.map((size) => ({
    sites: size,
    threshold:
      plan.masking === "dealer" ? size : thresholdFor({ sites: size, minimumSites, tolerateColluding }),
  }));
}
