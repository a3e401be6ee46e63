import { thresholdFor } from "@consilium/secure-sum/parameters";
import type { PlanView } from "../operator/views.js";
import { type Plan, planStudy, stageUploadBytes, uploadBytes } from "./plan.js";
import { type Study, studyDocument } from "./study.js";

/** What a study will do and cost, without starting it: the same offline and from the operator's API. */
export function planView(study: Study): PlanView {
  const plan = planStudy(study);
  return {
    name: study.name,
    hash: studyDocument(study).hash,
    claim: plan.claim,
    warnings: [...plan.warnings, ...releaseWarnings(study.release)],
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

/** What readers of the release would miss. */
function releaseWarnings({ creator, license }: Study["release"]): string[] {
  const warnings: string[] = [];
  if (license === undefined)
    warnings.push(
      "release.license states no licence: the release will say so, and readers have to ask before any use",
    );
  if (creator === undefined)
    warnings.push("release.creator names nobody: a citation of the release will have no author");
  return warnings;
}

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
