import type { ProposalInput } from "@consilium/core/method/siteSide";
import { type SoundStage, soundSum } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";

/** What a method's stage is made from at a site: public inputs alone. */
export type ToldInput = Pick<ProposalInput, "broadcasts">;

/** A stage of a sound method as the gate takes it: its query, its grid, and what a record adds. */
export function proposed(
  study: Study,
  stage: SoundStage,
  contributor: () => Contributor,
  pause?: () => Promise<void>,
): Proposal {
  const { scale } = soundSum(study, stage);
  return { query: stage.query, scale, contributor, ...(pause === undefined ? {} : { pause }) };
}
