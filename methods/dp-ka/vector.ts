import type { StageId } from "@consilium/core/ids";
import { classOf } from "@consilium/core/learning/trees/tree";
import { sentences } from "@consilium/core/said";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { evaluationForm } from "@consilium/core/study/evaluation";
import type { SoundStage } from "@consilium/core/study/soundSums";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { Bins } from "../shared/columns/binning.js";
import { cutsTold } from "../shared/evaluation/scoreScale.js";
import { candidateTold, selectedTold } from "../shared/k-anonymous/told.js";
import { invalidBroadcast, noStage } from "../shared/plans/broadcastFaults.js";
import {
  evaluationContributor,
  type RecordPrediction,
  trainingCells,
} from "../shared/records/evaluationRecords.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import type { HistogramLayout } from "../shared/trees/histograms.js";
import { ensembleMargin, secondOrderContributor } from "../shared/trees/secondOrderContributor.js";
import { naiveBayesTold } from "./naiveBayes.js";
import { type DpKaStudy, dpKaLayout, jointCells } from "./study.js";

/**
 * What a record adds to a sum stage of dp-ka: integers without noise. Its length depends on public numbers alone; an empty table
 * is zeros.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no sum stage of the study, FIELD_INVALID or BROADCAST_INVALID before a row
 *   is read
 */
export function dpKaProposal(study: DpKaStudy, id: StageId, input: ToldInput): Proposal {
  const { broadcasts } = input;
  const { boosting, histogram, features, count, tests, table, evaluation } = dpKaLayout(study);
  const fold = (stage: SoundStage, contributor: () => Contributor) => proposed(study, stage, contributor);
  const level = boosting?.stages.find((one) => one.id === id);
  if (level !== undefined) {
    const { settings } = boosting!;
    const { evaluation: held, seed } = study.parameters;
    const training = { evaluation: held, seed };
    return fold(level, secondOrderContributor({ settings, stage: level, broadcasts, training }));
  }
  if (histogram !== null && id === histogram.id)
    return fold(histogram, () => countsContributor(study, histogram.histogram));
  if (evaluation !== null && id === evaluation.id) {
    const form = evaluationForm(study.label.levels.length);
    const predict = modelTold(study, broadcasts, id);
    const model = { form, predict, cuts: cutsTold(form, broadcasts) };
    return fold(evaluation, () => evaluationContributor(study.parameters, model));
  }
  if (id === count.id)
    return fold(count, () =>
      trainingCells(study.parameters, (_, __, values) => {
        values[0] = 1;
        return 1;
      }),
    );
  const test = tests.findIndex((one) => one.id === id);
  if (test !== -1) {
    const chosen = candidateTold(broadcasts, test, features.length);
    return fold(tests[test]!, jointContributor({ study, id, chosen, classes: 1 }));
  }
  if (id !== table.id) throw noStage("dp-ka", id);
  const chosen = selectedTold(broadcasts, id, features.length);
  return fold(table, jointContributor({ study, id, chosen, classes: study.label.levels.length }));
}

/** A record is one 1 for each feature, at its bin and its class. */
function countsContributor(study: DpKaStudy, { features, offsets }: HistogramLayout): Contributor {
  const classes = study.label.levels.length;
  const [starts] = offsets;
  const bins = Bins.for(features);
  return trainingCells(study.parameters, (record, cells, values) => {
    for (let f = 0; f < features.length; f++) {
      cells[f] = starts![f]! + bins.of(f, record.values[f]!) * classes + record.label;
      values[f] = 1;
    }
    return features.length;
  });
}

/** What the broadcast model says of a record: the score of two classes, the predicted class of more. */
function modelTold(study: DpKaStudy, broadcasts: Broadcasts, stage: StageId): RecordPrediction {
  const { boosting, features } = dpKaLayout(study);
  if (boosting !== null) return ensembleMargin(boosting.settings, broadcasts, stage);
  const classes = study.label.levels.length;
  const outputsOf = naiveBayesTold({ features, classes, broadcasts, stage });
  return (record) => (classes === 2 ? outputsOf(record)[0]! : classOf(outputsOf(record), "softmax"));
}

/**
 * A record is one 1, at its joint cell of the chosen features and, of several classes, its class: Δ = 1. Cells are numbered
 * with the first feature's bin as the most significant digit; what is left of the vector is zeros.
 */
function jointContributor(options: {
  readonly study: DpKaStudy;
  readonly id: StageId;
  readonly chosen: readonly number[];
  readonly classes: number;
}): () => Contributor {
  const { study, id, chosen, classes } = options;
  const { features } = dpKaLayout(study);
  if (jointCells(features, chosen) > study.parameters.maxCells)
    throw invalidBroadcast(
      id,
      sentences<BroadcastSays>()("broadcast.joint-cells", { max: study.parameters.maxCells }),
    );
  return () => {
    const bins = Bins.for(features);
    return trainingCells(study.parameters, (record, cells, values) => {
      let cell = 0;
      for (const f of chosen) cell = cell * features[f]!.bins + bins.of(f, record.values[f]!);
      cells[0] = classes === 1 ? cell : cell * classes + record.label;
      values[0] = 1;
      return 1;
    });
  };
}
