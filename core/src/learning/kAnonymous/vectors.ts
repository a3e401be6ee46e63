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
import { evaluationCounts, type Prediction } from "../evaluation.js";
import { partOf } from "../heldOut.js";
import { withinRows } from "../moments.js";
import { rowWeights } from "../patientRows.js";
import { cutsTold } from "../scoreScale.js";
import { type SiteInput, scaledVector } from "../sums.js";
import { type HistogramLayout, levelHistogram } from "../trees/histograms.js";
import { ensembleMargins, secondOrderVector } from "../trees/secondOrderVector.js";
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
export function kAnonymousVector(
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
  const counts = await countsByClass({ study, kernels: input.kernels, layout: histogram, features, blocks });
  return BigUint64Array.from(counts, (count) => BigInt(count));
}

/** Rows by the bins of each feature and class, [as `layout`]: a record is one 1 for each feature. */
async function countsByClass(options: {
  readonly study: KAnonymousStudy;
  readonly kernels: NumericKernels;
  readonly layout: HistogramLayout;
  readonly features: readonly BinnedFeature[];
  readonly blocks: AsyncIterable<ColumnBlock>;
}): Promise<Float64Array> {
  const { study, kernels, layout, features, blocks } = options;
  const sums = levelHistogram(kernels, layout, "classes");
  for await (const block of blocks) {
    const nodes = new Uint16Array(block.rows);
    const weights = rowWeights(study, block) ?? new Float64Array(block.rows).fill(1);
    const classes = block.labels!;
    await sums.add({
      nodes,
      bins: binBlock(block, features),
      weights: { kind: "classes", classes, weights },
    });
  }
  return sums.finish();
}

async function dpKaVector(study: DpKaStudy, id: StageId, input: SiteInput): Promise<BigUint64Array> {
  const { boosting, histogram, features, count, tests, table, evaluation } = dpKaLayout(study);
  const stage = boosting?.stages.find((one) => one.id === id);
  if (stage !== undefined) {
    const { settings } = boosting!;
    return secondOrderVector({ ...input, blocks: trainingRows(study, input), study, stage, settings });
  }
  if (histogram !== null && id === histogram.id) {
    const blocks = trainingRows(study, input);
    const layout = histogram.histogram;
    const counts = await countsByClass({ study, kernels: input.kernels, layout, features, blocks });
    return scaledVector(study, histogram, counts);
  }
  if (id === evaluation?.id) return evaluationVector(study, evaluation, input);
  if (id === count.id) return countVector(study, count, input);
  const test = tests.findIndex((one) => one.id === id);
  if (test !== -1) {
    const candidate = candidateTold(input.broadcasts, test, features.length);
    return jointVector({ study, stage: tests[test]!, chosen: candidate, classes: 1, input });
  }
  if (id !== table.id) throw noSumStage(study, id);
  const chosen = selectedTold(input.broadcasts, id, features.length);
  return jointVector({ study, stage: table, chosen, classes: study.label.levels.length, input });
}

/** The rows that are not held out. @throws ConsiliumError ROWS_TOO_MANY */
function trainingRows(study: DpKaStudy, { blocks }: Pick<SiteInput, "blocks">): AsyncIterable<ColumnBlock> {
  const { evaluation, seed } = study.parameters;
  return partOf(withinRows(study, blocks), "training", evaluation, seed);
}

/** Held-out rows by what the model of the first step predicts and by class: a record is one 1, Δ = 1. */
async function evaluationVector(
  study: DpKaStudy,
  stage: SoundStage,
  { broadcasts, blocks }: Pick<SiteInput, "broadcasts" | "blocks">,
): Promise<BigUint64Array> {
  const predict = modelTold(study, broadcasts, stage.id);
  const { evaluation, seed } = study.parameters;
  const form = evaluationForm(study.label.levels.length);
  const counts = await evaluationCounts({
    study,
    evaluation,
    form,
    seed,
    cuts: cutsTold(form, broadcasts),
    blocks: withinRows(study, blocks),
    predict,
  });
  return scaledVector(study, stage, counts);
}

/** What the broadcast model says of a block's rows: the score of two classes, the predicted class of more. */
function modelTold(study: DpKaStudy, broadcasts: Broadcasts, stage: StageId): Prediction {
  const { boosting, features } = dpKaLayout(study);
  const classes = study.label.levels.length;
  const outputsOf =
    boosting === null
      ? naiveBayesTold({ features, classes, broadcasts, stage })
      : ensembleMargins(boosting.settings, broadcasts, stage);
  return (block) => {
    const outputs = outputsOf(block);
    if (classes === 2) return (row) => outputs[row]!;
    return (row) => classOf(outputs.subarray(row * classes, (row + 1) * classes), "softmax");
  };
}

async function countVector(study: DpKaStudy, stage: SoundStage, input: SiteInput): Promise<BigUint64Array> {
  let count = 0;
  for await (const block of trainingRows(study, input))
    count += rowWeights(study, block)?.reduce((sum, weight) => sum + weight, 0) ?? block.rows;
  return scaledVector(study, stage, Float64Array.of(count));
}

/**
 * A record is one 1, at its joint cell of the chosen features and, of several classes, its class: Δ = 1. Cells are numbered
 * with the first feature's bin as the most significant digit; what is left of the vector is zeros.
 */
async function jointVector(options: {
  readonly study: DpKaStudy;
  readonly stage: SoundStage;
  readonly chosen: readonly number[];
  readonly classes: number;
  readonly input: SiteInput;
}): Promise<BigUint64Array> {
  const { study, stage, chosen, classes, input } = options;
  const { features } = dpKaLayout(study);
  if (jointCells(features, chosen) > study.parameters.maxCells)
    throw new ConsiliumError(
      "BROADCAST_INVALID",
      `the broadcast of stage ${stage.id}: its features have more than ${study.parameters.maxCells} joint cells`,
    );
  const counts = new Float64Array(stage.length);
  for await (const block of trainingRows(study, input)) {
    const weights = rowWeights(study, block);
    for (let r = 0; r < block.rows; r++) {
      const cell = jointCell(features, chosen, block, r);
      counts[classes === 1 ? cell : cell * classes + block.labels![r]!]! += weights?.[r] ?? 1;
    }
  }
  return scaledVector(study, stage, counts);
}

function jointCell(
  features: readonly BinnedFeature[],
  chosen: readonly number[],
  block: ColumnBlock,
  row: number,
): number {
  let cell = 0;
  for (const f of chosen) cell = cell * features[f]!.bins + binOf(features[f]!, block.columns[f]![row]!);
  return cell;
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
