import type { StageId } from "@consilium/core/ids";
import { evaluationForm } from "@consilium/core/study/evaluation";
import type { SoundStage } from "@consilium/core/study/soundSums";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import type { OneRecord } from "@consilium/gate/record";
import { Bins } from "../shared/columns/binning.js";
import { cutsTold } from "../shared/evaluation/scoreScale.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { evaluationContributor, trainingCells } from "../shared/records/evaluationRecords.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import { channels } from "../shared/trees/secondOrder.js";
import { boundedGradient } from "../shared/trees/secondOrderRecords.js";
import { type Curves, curvesTold } from "./curves.js";
import { type AdditiveLayout, type AdditiveStudy, additiveLayout } from "./study.js";

/** y = 1 at the label's second level. */
const positive = 1;

/**
 * What a record adds to a stage: of every bin of every feature the sums of its records' g and h, which depend on the record and on what
 * was broadcast alone; or the counts of the evaluation. Nothing is kept between stages.
 *
 * L2 sensitivity under add-remove: √m·2^k, in the first epoch √(5m)/4·2^k (docs/METHODS.md#dp-additive-proof).
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method; as `curvesTold`, before a record is read
 */
export function additiveProposal(study: AdditiveStudy, id: StageId, input: ToldInput): Proposal {
  const layout = additiveLayout(study);
  if (id === layout.evaluation?.id) {
    const form = evaluationForm(channels);
    const curves = curvesTold(study, layout.evaluation, input.broadcasts);
    const cuts = cutsTold(form, input.broadcasts);
    const contributor = () =>
      evaluationContributor(study.parameters, { form, cuts, predict: marginsOf(curves, layout) });
    return proposed(study, layout.evaluation, contributor);
  }
  const stage = layout.stages.find((one) => one.id === id);
  if (stage === undefined) throw noStage("dp-additive", id);
  const curves = curvesTold(study, stage, input.broadcasts);
  return proposed(study, stage, () => derivatives(study, stage, curves));
}

function derivatives(study: AdditiveStudy, stage: SoundStage, curves: Curves): Contributor {
  const layout = additiveLayout(study);
  const { features, offsets, gridExponent } = layout;
  const write = boundedGradient(gridExponent, {
    limit: stage.sensitivitySquared / features.length,
    most: stage.entryMost,
  });
  const margin = new Float64Array(1);
  const pair = new Float64Array(channels);
  const bins = Bins.for(features);
  const marginOf = marginsOf(curves, layout);
  return trainingCells(study.parameters, (record, cells, values) => {
    margin[0] = marginOf(record);
    write(margin, 0, record.label === positive, pair, 0);
    for (let f = 0; f < features.length; f++) {
      cells[f] = offsets[f]! + bins.of(f, record.values[f]!);
      values[channels * f] = pair[0]!;
      values[channels * f + 1] = pair[1]!;
    }
    return features.length;
  });
}

/** Of a record its margin, exact. */
function marginsOf(
  { intercept, values }: Curves,
  { features, offsets }: Pick<AdditiveLayout, "features" | "offsets">,
): (record: OneRecord) => number {
  const bins = Bins.for(features);
  return (record) => {
    let margin = intercept;
    for (let f = 0; f < features.length; f++) margin += values[offsets[f]! + bins.of(f, record.values[f]!)]!;
    return margin;
  };
}
