import { noiseShares } from "@consilium/core/study/onRoster";
import { type SoundStage, soundSum } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";

/** σ of a stage that is guaranteed, in the stage's own units; 0 with `privacy: none`. */
export function guaranteedStdDev(study: Study, stage: SoundStage): number {
  return (soundSum(study, stage).shareStdDev * Math.sqrt(noiseShares(study))) / stage.integersPerUnit;
}
