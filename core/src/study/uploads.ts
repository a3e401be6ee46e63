import { type Plan, stageUploadBytes } from "./plan.js";
import type { Study } from "./study.js";

/** Framing and protocol messages beside the vectors, per site and stage: measured, rounded up. */
const overheadBytesPerStage = 2_048;

/** A sealed envelope of shares, and a share revealed, for each other site of a sum under pairwise masks. */
const overheadBytesPerSite = 320;

/** A study that names no sites is planned for so many. */
const supposedSites = 32;

/** Upload of one site over the whole study, at most, in bytes. Attempts that are repeated come on top. */
export function uploadBytes(plan: Plan, study: Study): number {
  const sites = study.participation.sites?.length ?? supposedSites;
  return plan.stages.reduce((sum, stage) => {
    const paired = plan.masking === "pairwise" && stage.kind === "sum" ? sites * overheadBytesPerSite : 0;
    return sum + stageUploadBytes(stage, study) + overheadBytesPerStage + paired;
  }, 0);
}
