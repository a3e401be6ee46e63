import {
  type CorrelationSearch,
  checkGroups,
  correlationRounding,
  type LargestCorrelations,
  type RowGroups,
  searchEnded,
} from "./correlations.js";
import { oneVersusRest } from "./phi.js";

/** The largest correlations by plain loops: the oracle of the fast kernels, and the faster way where there are few rows. */
export function plainCorrelations(groups: RowGroups): CorrelationSearch {
  checkGroups(groups);
  const values = new Float64Array(groups.labels.length);
  let ended = false;
  return {
    async column(fill) {
      if (ended) throw searchEnded();
      fill(values);
      return largestCorrelations(groups, values);
    },
    async end() {
      ended = true;
    },
  };
}

function largestCorrelations(groups: RowGroups, values: Float64Array): LargestCorrelations {
  const { starts, labels, classes } = groups;
  const count = starts.length - 1;
  const correlations = new Float64Array(count);
  const cuts = new Float64Array(count);
  const left = new Float64Array(classes);
  const right = new Float64Array(classes);
  const order = Uint32Array.from(values, (_, row) => row);
  for (let group = 0; group < count; group++) {
    const rows = order.subarray(starts[group]!, starts[group + 1]!).sort((a, b) => values[a]! - values[b]!);
    left.fill(0);
    right.fill(0);
    for (const row of rows) right[labels[row]!]!++;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      if (at > 0 && values[row] !== values[rows[at - 1]!]) {
        const correlation = oneVersusRest(left, right);
        if (correlation > correlations[group]! + correlationRounding) {
          correlations[group] = correlation;
          cuts[group] = values[rows[at - 1]!]!;
        }
      }
      left[labels[row]!]!++;
      right[labels[row]!]!--;
    }
  }
  return { correlations, cuts };
}
