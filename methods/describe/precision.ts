import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { asExpected, noiseStdDev, rowsExpected, sitesAtLeast } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { edgesOf } from "../shared/columns/counted.js";
import { expectedPrecision } from "../shared/counts/precision.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { describeResult } from "./conversation.js";
import { type NumberSections, partsOf } from "./numbers.js";
import { asDescribe, type DescribeLayout, type DescribeStudy, describeLayout } from "./study.js";

/**
 * What a release's intervals come to where the expected rows spread evenly over each column's cells: computed by the release's own
 * code from the sums that such rows have, with the noise of the study.
 */
export function precision(given: Study): ExpectedPrecision[] {
  const study = asDescribe(given);
  if (study.privacy === "none") return [];
  const layout = describeLayout(study);
  const rows = rowsExpected(study);
  const stdDev = noiseStdDev(asExpected(study), layout.stage, sitesAtLeast(study));
  const { columns } = describeResult(study, evenSums(study, layout, rows), stdDev);
  const isOfGroup = layout.groups > 1;
  const own = { rows: Math.floor(rows / layout.groups), isOfGroup, unit: null };
  return layout.marginals.flatMap(({ features, weight }): ExpectedPrecision[] => {
    const of = features.map((f) => study.features[f]!.name).join(" × ");
    const within = expectedPrecision(study, layout.stage, weight);
    const count = { statistic: "count", of, within, ...own } as const;
    if (features.length === 2) return [{ ...count, rows, isOfGroup: false }];
    const [f] = features;
    const { all, groups } = columns[f]!;
    const { numbers, shares } = groups[0] ?? all;
    if (numbers === null) return [count, { ...own, statistic: "share", of, within: halfWidth(shares[0]!) }];
    const unit = unitOf(study, f);
    return [
      { ...own, unit, statistic: "median", of, within: halfWidth(numbers.median) },
      { ...own, unit, statistic: "mean", of, within: halfWidth(numbers.mean) },
      count,
    ];
  });
}

/** The sums of rows that spread evenly over the cells of each column, and within an interval, in the stage's integers. */
function evenSums(
  study: DescribeStudy,
  { features, groups, marginals, numbers, stage }: DescribeLayout,
  rows: number,
): Float64Array {
  const sums = new Float64Array(stage.length);
  const withValue = (f: number) => {
    const { cells, missing } = features[f]!;
    return missing === null ? cells : cells - 1;
  };
  for (const marginal of marginals) {
    const { offset, weight } = marginal;
    if (marginal.features.length === 2) {
      sums.fill((rows / marginal.cells) * weight, offset, offset + marginal.cells);
      continue;
    }
    const [f] = marginal.features;
    const each = (rows / groups / withValue(f)) * weight;
    const size = marginal.cells / groups;
    for (let g = 0; g < groups; g++) sums.fill(each, offset + g * size, offset + g * size + withValue(f));
    const feature = study.features[f]!;
    const sections = numbers[f];
    if (!sections || feature.type !== "numeric") continue;
    const { unit, min, max, sumsAt, squaresAt, cellsAt, root } = sections;
    const { sum, squares, cell } = partsOf(unit);
    const inInterval = rows / groups / withValue(f);
    const z = (value: number) => (value - min) / (max - min) - 1 / 2;
    const edges = edgesOf(feature, features[f]!);
    let [first, second] = [0, 0];
    for (let b = 0; b + 1 < edges.length; b++) {
      const [from, to] = [z(edges[b]!), z(edges[b + 1]!)];
      first += (inInterval * (from + to)) / 2;
      second += inInterval * ((from ** 2 + from * to + to ** 2) / 3 - 1 / 8);
    }
    const run = root.sums(evenCells(sections, inInterval)).map((count) => cell * count);
    for (let g = 0; g < groups; g++) {
      sums[sumsAt + g] = 2 * sum * first;
      sums[squaresAt + g] = 8 * squares * second;
      sums.set(run, cellsAt + g * root.run);
    }
  }
  return sums;
}

/** Records of each small cell where an interval's are even over its width; of one without width all are in its first cell. */
function evenCells({ cells: { edges, declared } }: NumberSections, inInterval: number): Float64Array {
  const counts = new Float64Array(edges.length - 1);
  for (let k = 0; k + 1 < declared.length; k++) {
    const [from, to] = [declared[k]!, declared[k + 1]!];
    const width = edges[to]! - edges[from]!;
    if (width === 0) counts[from] = inInterval;
    else for (let c = from; c < to; c++) counts[c] = (inInterval * (edges[c + 1]! - edges[c]!)) / width;
  }
  return counts;
}

const halfWidth = ({ value, low, high }: Estimate) => Math.max(high - value, value - low);

function unitOf({ features }: DescribeStudy, f: number): string | null {
  const feature = features[f]!;
  return feature.type === "numeric" ? (feature.unit ?? null) : null;
}
