import type { StageId } from "@consilium/core/ids";
import { withinRows } from "@consilium/core/learning/stageTable";
import type { SiteInput } from "@consilium/core/learning/sums";
import { TupleCounts, tagKey } from "@consilium/core/learning/tags";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type BinnedFeature, binBlock, binOf } from "@consilium/methods/shared/columns/binning";
import { candidateTold, selectedTold } from "@consilium/methods/shared/k-anonymous/told";
import { noStage } from "@consilium/methods/shared/plans/broadcastFaults";
import { type HistogramLayout, levelHistogram } from "@consilium/methods/shared/trees/histograms";
import { secondOrderVector } from "@consilium/methods/shared/trees/secondOrderVector";
import { type PaperKaStudy, paperKaLayout, paperKaStages } from "./study.js";

/**
 * A site's vector of a sum stage: exact integers. Its length depends on public numbers alone; an empty table is zeros.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no sum stage of the study, FIELD_INVALID or BROADCAST_INVALID before a row
 *   is read, ROWS_TOO_MANY as `checkRows`
 */
export async function paperKaVector(
  study: PaperKaStudy,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  const { boosting, histogram, features } = paperKaLayout(study);
  const stage = boosting?.stages.find((one) => one.id === id);
  if (stage !== undefined) return secondOrderVector({ ...input, study, stage, settings: boosting!.settings });
  if (histogram === null || id !== paperKaStages.histogram) throw noStage(study.method, id);
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

/** What a site's tags are made with, beside its rows. */
export interface TagsInput extends SiteInput {
  /** 32 bytes that the sites alone have. */
  readonly sharedSeed: Uint8Array | null;
}

/**
 * A site's tags with counts of a test, as `TupleCounts.tagged`: of its rows' bins of the candidate's features.
 * @throws ConsiliumError as `paperKaVector`
 */
export async function paperKaTags(study: PaperKaStudy, id: StageId, input: TagsInput): Promise<Uint8Array> {
  const test = study.features.findIndex((_, t) => paperKaStages.test(t) === id);
  if (test === -1) throw noStage(study.method, id, "tags");
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
 * @throws ConsiliumError as `paperKaVector`
 */
export async function* paperKaRows(
  study: PaperKaStudy,
  id: StageId,
  input: SiteInput,
): AsyncGenerator<SelectedRows> {
  if (id !== paperKaStages.rows) throw noStage(study.method, id, "rows");
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
