import type { Contributor } from "@consilium/gate/contributions";
import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import type { NumericKernels } from "../../linalg/kernels.js";
import { type BinnedFeature, binBlock, binOf } from "../../study/binning.js";
import type { Broadcasts } from "../../study/broadcast.js";
import type { ColumnBlock } from "../../study/design.js";
import { type DpKaStudy, dpKaLayout, jointCells } from "../../study/dpKa.js";
import { evaluationForm } from "../../study/evaluation.js";
import type { KAnonymousStudy } from "../../study/kAnonymous.js";
import { type PaperKaStudy, paperKaLayout, paperKaStages } from "../../study/paperKa.js";
import type { SoundStage } from "../../study/soundSums.js";
import { withinRows } from "../moments.js";
import { evaluationContributor, type RecordPrediction, trainingCells } from "../records/evaluationRecords.js";
import { foldStage } from "../records/foldStage.js";
import { cutsTold } from "../scoreScale.js";
import type { SiteInput } from "../sums.js";
import { type HistogramLayout, levelHistogram } from "../trees/histograms.js";
import { ensembleMargin, secondOrderContributor } from "../trees/secondOrderContributor.js";
import { secondOrderVector } from "../trees/secondOrderVector.js";
import { classOf } from "../trees/tree.js";
import { naiveBayesTold } from "./naiveBayes.js";
import { TupleCounts, tagKey } from "./tags.js";
import { candidateTold, selectedTold } from "./told.js";

/**
 * A site's vector of a sum stage, whatever the method: integers without noise. Its length depends on public numbers alone;
 * an empty table is zeros.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no sum stage of the study, FIELD_INVALID or BROADCAST_INVALID before a row
 *   is read, ROWS_TOO_MANY as `checkRows`
 */
export async function kAnonymousVector(
  study: KAnonymousStudy,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  return study.method === "dp-ka" ? dpKaVector(study, id, input) : paperVector(study, id, input);
}

async function paperVector(study: PaperKaStudy, id: StageId, input: SiteInput): Promise<BigUint64Array> {
  const { boosting, histogram, features } = paperKaLayout(study);
  const stage = boosting?.stages.find((one) => one.id === id);
  if (stage !== undefined) return secondOrderVector({ ...input, study, stage, settings: boosting!.settings });
  if (histogram === null || id !== paperKaStages.histogram) throw noSumStage(study, id);
  const blocks = withinRows(study, input.blocks);
  const counts = await countsByClass({ kernels: input.kernels, layout: histogram, features, blocks });
  return BigUint64Array.from(counts, (count) => BigInt(count));
}

/** Rows by the bins of each feature and class, [as `layout`]: a record is one 1 for each feature. */
async function countsByClass(options: {
  readonly kernels: NumericKernels;
  readonly layout: HistogramLayout;
  readonly features: readonly BinnedFeature[];
  readonly blocks: AsyncIterable<ColumnBlock>;
}): Promise<Float64Array> {
  const { kernels, layout, features, blocks } = options;
  const sums = levelHistogram(kernels, layout, "classes");
  for await (const block of blocks) {
    const nodes = new Uint16Array(block.rows);
    const weights = new Float64Array(block.rows).fill(1);
    const classes = block.labels!;
    await sums.add({
      nodes,
      bins: binBlock(block, features),
      weights: { kind: "classes", classes, weights },
    });
  }
  return sums.finish();
}

function dpKaVector(study: DpKaStudy, id: StageId, input: SiteInput): Promise<BigUint64Array> {
  const { broadcasts } = input;
  const { boosting, histogram, features, count, tests, table, evaluation } = dpKaLayout(study);
  const fold = (stage: SoundStage, contributor: () => Contributor) =>
    foldStage({ study, stage, contributor, input });
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
  if (id !== table.id) throw noSumStage(study, id);
  const chosen = selectedTold(broadcasts, id, features.length);
  return fold(table, jointContributor({ study, id, chosen, classes: study.label.levels.length }));
}

/** A record is one 1 for each feature, at its bin and its class. */
function countsContributor(study: DpKaStudy, { features, offsets }: HistogramLayout): Contributor {
  const classes = study.label.levels.length;
  const [starts] = offsets;
  return trainingCells(study.parameters, (record, cells, values) => {
    for (let f = 0; f < features.length; f++) {
      cells[f] = starts![f]! + binOf(features[f]!, record.values[f]!) * classes + record.label;
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
    throw new ConsiliumError(
      "BROADCAST_INVALID",
      `the broadcast of stage ${id}: its features have more than ${study.parameters.maxCells} joint cells`,
    );
  return () =>
    trainingCells(study.parameters, (record, cells, values) => {
      let cell = 0;
      for (const f of chosen) cell = cell * features[f]!.bins + binOf(features[f]!, record.values[f]!);
      cells[0] = classes === 1 ? cell : cell * classes + record.label;
      values[0] = 1;
      return 1;
    });
}

/** What a site's tags are made with, beside its rows. */
export interface TagsInput extends SiteInput {
  /** 32 bytes that the sites alone have. */
  readonly sharedSeed: Uint8Array | null;
}

/**
 * A site's tags with counts of a test, as `TupleCounts.tagged`: of its rows' bins of the candidate's features.
 * @throws ConsiliumError as `kAnonymousVector`
 */
export async function kAnonymousTags(
  study: KAnonymousStudy,
  id: StageId,
  input: TagsInput,
): Promise<Uint8Array> {
  const test = study.features.findIndex((_, t) => paperKaStages.test(t) === id);
  if (study.method === "dp-ka" || test === -1)
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `${study.method} has no tags stage ${id}`);
  if (input.sharedSeed === null) throw new RangeError("tags are made under a shared seed");
  const candidate = candidateTold(input.broadcasts, test, study.features.length);
  const { features } = paperKaLayout(study);
  const counts = new TupleCounts(candidate.length);
  const tuple = new Uint16Array(candidate.length);
  for await (const block of withinRows(study, input.blocks)) {
    for (let r = 0; r < block.rows; r++) {
      candidate.forEach((f, j) => {
        tuple[j] = binOf(features[f]!, block.columns[f]![r]!);
      });
      counts.add(tuple);
    }
  }
  return counts.tagged(tagKey(input.sharedSeed, id));
}

/** Some of a site's rows as they are sent: [rows × m] bins, zeros where a feature is not selected. */
export interface SelectedRows {
  readonly rows: number;
  readonly values: Float64Array;
  readonly labels: Uint16Array;
}

/**
 * A site's rows of the selected features.
 * @throws ConsiliumError as `kAnonymousVector`
 */
export async function* kAnonymousRows(
  study: KAnonymousStudy,
  id: StageId,
  input: SiteInput,
): AsyncGenerator<SelectedRows> {
  if (study.method === "dp-ka" || id !== paperKaStages.rows)
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `${study.method} has no rows stage ${id}`);
  const width = study.features.length;
  const selected = selectedTold(input.broadcasts, id, width);
  const { features } = paperKaLayout(study);
  for await (const block of withinRows(study, input.blocks)) {
    const values = new Float64Array(block.rows * width);
    for (let r = 0; r < block.rows; r++) {
      for (const f of selected) values[r * width + f] = binOf(features[f]!, block.columns[f]![r]!);
    }
    yield { rows: block.rows, values, labels: block.labels!.slice(0, block.rows) };
  }
}

function noSumStage(study: KAnonymousStudy, id: StageId): ConsiliumError {
  return new ConsiliumError("MESSAGE_UNEXPECTED", `${study.method} has no sum stage ${id}`);
}
