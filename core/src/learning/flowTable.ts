import type { StageTable } from "@consilium/gate/answer";
import { flowDomain } from "@consilium/gate/flow";
import { flowContributor } from "@consilium/gate/flowRecords";
import type { Proposal } from "@consilium/gate/fold";
import type { RecordBlock } from "@consilium/gate/record";
import type { RandomSource } from "../random.js";
import { boundedFeatures } from "../study/flow.js";
import { flowStage, studyOfFlow } from "../study/flowStage.js";
import { soundSum } from "../study/soundSums.js";
import type { Study } from "../study/study.js";

/** What a flow's records add: the gate's own words, not a method's. */
export function flowProposal(study: Study): Proposal {
  const stage = flowStage(study);
  const { scale } = soundSum(studyOfFlow(study), stage);
  return { query: stage.query, scale, contributor: () => flowContributor(boundedFeatures(study).length) };
}

/** @param records - statuses and sides, one record for each row, or for each patient */
export function flowTable(
  study: Study,
  records: AsyncIterable<RecordBlock>,
  random: RandomSource,
): StageTable {
  return {
    records,
    domain: flowDomain(boundedFeatures(study).length),
    patients: null,
    rowsAtMost: studyOfFlow(study).participation.maxRowsPerSite,
    kernel: noGram,
    random,
    checks: random,
  };
}

const noGram: StageTable["kernel"] = {
  gram: () => {
    throw new RangeError("a flow has no Gram matrix");
  },
};
