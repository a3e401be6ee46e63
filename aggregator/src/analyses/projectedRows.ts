import { ConsiliumError } from "@consilium/core/errors";
import { isKAnonymous, TupleCounts } from "@consilium/core/learning/kAnonymous/tags";
import { type PaperKaStudy, paperKaLayout } from "@consilium/core/study/paperKa";
import { rowBytes } from "@consilium/core/study/plan";
import { wholeRecords } from "../rounds/studyFiles.js";
import type { ReducedRows, RowsPart } from "./analysis.js";

/**
 * The sites' rows as they are released: the bins of the selected features, then the label. That they are K-anonymous is
 * counted again: what was tested were tags.
 * @throws ConsiliumError SUM_IMPLAUSIBLE when the rows are not those that honest sites send after their tests
 */
export async function* projectedRows(
  study: PaperKaStudy,
  selected: readonly number[],
  rows: ReducedRows,
): AsyncGenerator<RowsPart> {
  const { features, classes } = paperKaLayout(study);
  const columns = [...selected].sort((a, b) => a - b);
  const stride = rowBytes(rows.columns, rows.levels === 1);
  const width = columns.length + 1;
  const counts = new TupleCounts(columns.length);
  for await (const bytes of wholeRecords(rows.path, stride)) {
    const count = bytes.length / stride;
    const labels = new Uint16Array(count * width);
    for (let r = 0; r < count; r++) {
      columns.forEach((f, j) => {
        labels[r * width + j] = levelOf(bytes.readDoubleLE(r * stride + f * 8), features[f]!.bins);
      });
      labels[r * width + width - 1] = levelOf(bytes.readUInt16LE(r * stride + rows.columns * 8), classes);
      counts.add(labels.subarray(r * width, r * width + width - 1));
    }
    yield { rows: count, values: new Float64Array(0), labels };
  }
  if (!isKAnonymous(counts.sizes(), study.parameters.k)) {
    throw implausible(
      `of some combinations of values they hold fewer than ${study.parameters.k} rows, though the tests found as many`,
    );
  }
}

function levelOf(value: number, levels: number): number {
  if (Number.isInteger(value) && value >= 0 && value < levels) return value;
  throw implausible("one holds a value that its feature has not");
}

function implausible(what: string): ConsiliumError {
  return new ConsiliumError("SUM_IMPLAUSIBLE", `the sites' rows are not those that were tested: ${what}`);
}
