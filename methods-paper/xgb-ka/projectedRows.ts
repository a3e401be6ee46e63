import { faults } from "@consilium/core/fault";
import { isKAnonymous, TupleCounts } from "@consilium/core/learning/tags";
import type { RowsPart } from "@consilium/core/method/aggregatorSide";
import type { XgbKaSays } from "./says.js";
import { type PaperKaStudy, paperKaLayout } from "./study.js";

const fault = faults<XgbKaSays>();

/**
 * The sites' rows as they are released: the bins of the selected features, then the label. That they are K-anonymous is
 * counted again: what was tested were tags.
 * @throws ConsiliumError SUM_IMPLAUSIBLE when the rows are not those that honest sites send after their tests
 */
export async function* projectedRows(
  study: PaperKaStudy,
  selected: readonly number[],
  parts: AsyncIterable<RowsPart>,
): AsyncGenerator<RowsPart> {
  const { features, classes } = paperKaLayout(study);
  const columns = [...selected].sort((a, b) => a - b);
  const width = columns.length + 1;
  const counts = new TupleCounts(columns.length);
  for await (const part of parts) {
    const labels = new Uint16Array(part.rows * width);
    for (let r = 0; r < part.rows; r++) {
      columns.forEach((f, j) => {
        labels[r * width + j] = levelOf(part.values[r * features.length + f]!, features[f]!.bins);
      });
      labels[r * width + width - 1] = levelOf(part.labels![r]!, classes);
      counts.add(labels.subarray(r * width, r * width + width - 1));
    }
    yield { rows: part.rows, values: new Float64Array(0), labels };
  }
  if (!isKAnonymous(counts.sizes(), study.parameters.k)) {
    throw fault("SUM_IMPLAUSIBLE", "xgb-ka.fewer-rows", { k: study.parameters.k });
  }
}

function levelOf(value: number, levels: number): number {
  if (Number.isInteger(value) && value >= 0 && value < levels) return value;
  throw fault("SUM_IMPLAUSIBLE", "xgb-ka.no-value", {});
}
