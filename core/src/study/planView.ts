import type { PlanView } from "../operator/views.js";
import { planStudy, stageUploadBytes, uploadBytes } from "./plan.js";
import { type Study, studyDocument } from "./study.js";

/** What a study will do and cost, without starting it: the same offline and from the operator's API. */
export function planView(study: Study): PlanView {
  const plan = planStudy(study);
  return {
    name: study.name,
    hash: studyDocument(study).hash,
    claim: plan.claim,
    warnings: plan.warnings,
    uploadBytesPerSite: uploadBytes(plan, study),
    stages: plan.stages.map((stage) => ({
      id: stage.id,
      kind: stage.kind,
      length: stage.kind === "sum" ? stage.length : null,
      uploadBytes: stageUploadBytes(stage, study),
      disclosure: stage.disclosure,
    })),
  };
}
