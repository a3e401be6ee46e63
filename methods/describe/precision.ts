import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { asExpected, noiseStdDev, rowsExpected, sitesAtLeast } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { expectedPrecision } from "../shared/counts/precision.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { consistentTables } from "./consistent.js";
import { columnStatistics } from "./statistics.js";
import { asDescribe, type DescribeLayout, type DescribeStudy, describeLayout } from "./study.js";

/** Of a column with more cells only the counts are told: their shares take as many steps as the square of the cells. */
const cellsMost = 256;

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
  const consistent = consistentTables(layout, evenSums(layout, rows), stdDev);
  const isOfGroup = layout.groups > 1;
  const own = { rows: Math.floor(rows / layout.groups), isOfGroup, unit: null, bins: null };
  return layout.marginals.flatMap(({ features, weight, cells }): ExpectedPrecision[] => {
    const of = features.map((f) => study.features[f]!.name).join(" × ");
    const within = expectedPrecision(study, layout.stage, weight);
    const count = { statistic: "count", of, within, ...own } as const;
    if (features.length === 2) return [{ ...count, rows, isOfGroup: false }];
    if (cells / layout.groups > cellsMost) return [count];
    const [f] = features;
    const { groups, all } = consistent.tables[f]!;
    const counted = layout.features[f]!;
    const statistics = columnStatistics(study.features[f]!, counted, groups[0] ?? all);
    const { numbers } = statistics;
    if (numbers === null)
      return [count, { ...own, statistic: "share", of, within: halfWidth(statistics.shares[0]!) }];
    const unit = unitOf(study, f);
    return [
      {
        ...own,
        unit,
        statistic: "mean",
        of,
        within: halfWidth(numbers.mean),
        bins: numbers.mean.discretisation,
      },
      { ...own, unit, statistic: "median", of, within: halfWidth(numbers.median) },
      count,
    ];
  });
}

/** The sums of rows that have every value equally often, in the stage's integers. */
function evenSums({ features, groups, marginals, stage }: DescribeLayout, rows: number): Float64Array {
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
  }
  return sums;
}

const halfWidth = ({ value, low, high }: Estimate) => Math.max(high - value, value - low);

function unitOf({ features }: DescribeStudy, f: number): string | null {
  const feature = features[f]!;
  return feature.type === "numeric" ? (feature.unit ?? null) : null;
}
