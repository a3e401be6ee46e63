import type { NumericKernels } from "../linalg/kernels.js";
import type { ColumnBlock } from "../study/design.js";
import { type DpPcaLayout, type DpPcaStage, type DpPcaStudy, dpPcaLayout } from "../study/dpPca.js";
import type { DpPcaBall } from "../study/dpPcaBall.js";
import { checkDirections, projectRecord, RecordQuantiser } from "./dpPcaRecords.js";
import { RectangleSums, TriangleSums } from "./exactSums.js";
import { checkRows } from "./moments.js";
import { divided, dividedByRoot, rowDivisors, rowWeights } from "./patientRows.js";
import { scaledVector } from "./sums.js";

/**
 * A site's vector of a stage of dp-pca, in one pass over its rows: integers without noise. L2 sensitivity under
 * add-remove, with the weights of the plan's noise (docs/METHODS.md#dp-pca-proof): A = 4^h + K² of second moments, √A of the
 * sums that choose a centre, 1 of the counts that choose a radius.
 *
 * Its shape depends on public numbers alone: an absent class, or an empty table, is zeros.
 * @param stage - one of the study's layout
 * @param blocks - the site's rows, values within their declared bounds
 * @param directions - [k × d] as broadcast for this stage; null for a stage that has none
 * @param ball - what rows are clipped by or measured from; left out by a stage that is about the declared one
 * @returns [stage.length] ring elements, two's complement modulo 2^64
 * @throws ConsiliumError ROWS_TOO_MANY as `checkRows`; BROADCAST_INVALID; VALUE_NOT_FINITE naming the column
 */
export async function dpPcaVector(options: {
  readonly study: DpPcaStudy;
  readonly stage: DpPcaStage;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly directions: Float64Array | null;
  readonly ball?: DpPcaBall;
  readonly kernels: NumericKernels;
}): Promise<BigUint64Array> {
  const { study, stage, blocks, kernels } = options;
  const layout = dpPcaLayout(study);
  if ((options.directions !== null) !== stage.directed) {
    throw new RangeError(`stage ${stage.id} and its directions do not fit`);
  }
  if (stage.about !== "declared" && options.ball === undefined) {
    throw new RangeError(`stage ${stage.id} needs the ball that was chosen`);
  }
  const directions =
    options.directions === null
      ? null
      : checkDirections(options.directions, layout.components, layout.columns);
  const sums = sumsOf({ study, stage, layout, directions, kernels });
  const quantiser = new RecordQuantiser(study, layout, options.ball ?? layout.declared);
  let seen = 0;
  for await (const block of blocks) {
    seen += block.rows;
    checkRows(seen, study);
    const divisors = rowDivisors(study, block);
    const weights = stage.shape === "distances" ? rowWeights(study, block) : null;
    for (let from = 0; from < block.rows; from += quantiser.rowsAtMost) {
      const rows = Math.min(quantiser.rowsAtMost, block.rows - from);
      quantiser.load(block, from, rows);
      for (let r = 0; r < rows; r++) {
        const label = stage.blocks === 1 ? 0 : block.labels![from + r]!;
        const part =
          divisors === null ? wholeRow : { divisor: divisors[from + r]!, weight: weights?.[from + r] ?? 1 };
        const wait = sums.add(quantiser, r, label, part);
        if (wait !== null) await wait;
      }
    }
  }
  return sums.finish();
}

/** What a row counts of its patient. */
interface RowPart {
  /** k, the patient's rows: what a row's products and sums are divided by. */
  readonly divisor: number;
  /** What a count counts it. */
  readonly weight: number;
}

const wholeRow: RowPart = { divisor: 1, weight: 1 };

/** What the records of a stage are added to. */
interface StageSums {
  /** @returns null, or what must be awaited before the next record */
  add(quantiser: RecordQuantiser, row: number, block: number, part: RowPart): Promise<void> | null;
  finish(): Promise<BigUint64Array>;
}

function sumsOf(options: {
  readonly study: DpPcaStudy;
  readonly stage: DpPcaStage;
  readonly layout: DpPcaLayout;
  readonly directions: Float64Array | null;
  readonly kernels: NumericKernels;
}): StageSums {
  const { study, stage, layout, directions, kernels } = options;
  const { squaredNormLimit } = layout;
  const record = new Float64Array(layout.columns + 1);
  if (stage.shape === "sums" || stage.shape === "distances") return choiceSums(study, stage, layout);
  if (stage.shape === "rectangle") {
    const rectangle = new RectangleSums({ rows: stage.rows, columns: stage.columns, squaredNormLimit });
    const out = new Float64Array(stage.columns);
    return {
      add(quantiser, row, _, { divisor }) {
        quantiser.write(row, record, 0);
        projectRecord({ layout, record, at: 0, directions: directions!, out, offset: 0 });
        dividedByRoot(record, 0, stage.rows, divisor);
        dividedByRoot(out, 0, stage.columns, divisor);
        rectangle.add(record, 0, out);
        return null;
      },
      finish: async () => rectangle.finish(),
    };
  }
  const triangles = new TriangleSums(kernels, {
    order: stage.rows,
    blocks: stage.blocks,
    rowsAtMost: study.participation.maxRowsPerSite,
    squaredNormLimit,
  });
  return {
    add(quantiser, row, block, { divisor }) {
      const { buffer, offset } = triangles.next(block);
      if (directions === null) quantiser.write(row, buffer, offset);
      else {
        quantiser.write(row, record, 0);
        projectRecord({ layout, record, at: 0, directions, out: buffer, offset });
      }
      dividedByRoot(buffer, offset, stage.rows, divisor);
      triangles.taken(block);
      return triangles.isFull(block) ? triangles.flush(block) : null;
    },
    finish: () => triangles.finish(),
  };
}

/** Sums and counts that a ball is chosen by. No sum reaches 2^53: a site has at most 2^30 rows, an entry at most 2^22. */
function choiceSums(study: DpPcaStudy, stage: DpPcaStage, layout: DpPcaLayout): StageSums {
  const { choice } = layout;
  if (choice === null) throw new RangeError(`stage ${stage.id} is none of a study that declares its ball`);
  const sums = new Float64Array(stage.length);
  if (stage.shape === "distances") {
    return {
      add(quantiser, row, _, { weight }) {
        sums[quantiser.distance(row)]! += weight;
        return null;
      },
      finish: async () => scaledVector(study, choice.radius, sums),
    };
  }
  const record = new Float64Array(stage.length);
  return {
    add(quantiser, row, _, { divisor }) {
      quantiser.write(row, record, 0);
      if (divisor !== 1) divided(record, Uint16Array.of(divisor), record.length);
      for (let j = 0; j < record.length; j++) sums[j] = sums[j]! + record[j]!;
      return null;
    },
    finish: async () => scaledVector(study, choice.centre, sums),
  };
}
