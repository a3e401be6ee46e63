import { z95 } from "@consilium/core/linalg/z95";
import type { Figure } from "@consilium/core/release/figures";
import { lines, nameOf } from "@consilium/core/said";
import { countedUnits } from "@consilium/core/study/patientWeights";
import { soundSum } from "@consilium/core/study/soundSums";
import type { FindingSays } from "@consilium/words/says/findings";
import { cellNames, edgesOf } from "../shared/columns/counted.js";
import { numberText } from "../shared/counts/noisyCount.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import type { DescribeResult } from "./conversation.js";
import type { DescribeSays } from "./says.js";
import { type DescribeStudy, describeLayout } from "./study.js";

const line = lines<DescribeSays>();
const said = lines<FindingSays>();

/** What a release of descriptive statistics says beside its tables: facts, notes and pictures. */

export function describeFacts(
  study: DescribeStudy,
  { noiseStdDev, consistent }: DescribeResult,
): Record<string, string | number | boolean | null> {
  const { marginals, stage } = describeLayout(study);
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, stage).ringBits}`,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    noiseStdDevLeast: Math.min(...marginals.map(({ weight }) => noiseStdDev / weight)),
    noiseStdDevMost: Math.max(...marginals.map(({ weight }) => noiseStdDev / weight)),
    records: consistent.total.noisy,
    tables: marginals.length,
    counts: marginals.reduce((sum, { cells }) => sum + cells, 0),
    numbers: stage.length,
  };
}

export function describeNotes(study: DescribeStudy, result: DescribeResult): string[] {
  const { total } = result.consistent;
  const units = countedUnits(study);
  const isNoisy = study.privacy !== "none";
  const within = isNoisy ? ` ± ${numberText(z95 * total.stdDev, 1)} (95 % of the noise)` : "";
  const byRows = study.patient !== undefined && units === "rows" && study.patient.maxRows > 1;
  return [
    `${numberText(Math.max(0, total.noisy), 0)}${within} ${units} were counted, each of them once in every table.`,
    `Counts are of the sites' ${units}: their 95 % intervals cover the noise${isNoisy ? "" : ", of which there is none"}. Shares, means, standard deviations and quartiles are of the population that these are drawn from: their 95 % intervals cover sampling and noise, each by itself. Where the noise hides how many records there are, an interval is all that a column's declared bounds allow.`,
    ...(study.features.some(({ type }) => type === "numeric") ? [line("describe.numbers", {})] : []),
    isNoisy
      ? "Counts were made consistent: none is negative, and every table has the same total. That only uses what was released already. The counts as they were summed, noise and negative ones included, are in model.json, to compute anything else from."
      : "No noise was added anywhere.",
    ...(byRows
      ? [
          "Several rows of one patient count as several records. Intervals take records as independent, so those of shares, means, standard deviations and quartiles are too narrow where a patient's rows are alike.",
        ]
      : []),
  ];
}

const figuresMost = 30;
const barsMost = 500;
/** Lines, or colours of bars, of one picture. */
const seriesMost = 12;
/** Of a line: two for each interval. */
const pointsMost = 2000;

const interval = ({ low, high }: Estimate) => ({ low, high });

/** A picture of each column: shares by interval or level, by group. */
export function describeFigures(study: DescribeStudy, result: DescribeResult): Figure[] {
  const { features } = describeLayout(study);
  return study.features.slice(0, figuresMost).map((feature, f): Figure => {
    const column = result.columns[f]!;
    const own = features[f]!;
    const series =
      study.label === undefined
        ? [{ name: "all", statistics: column.all }]
        : study.label.levels.map((name, g) => ({ name, statistics: column.groups[g]! }));
    const by = study.label === undefined ? "" : ` by ${study.label.name}`;
    const about = { name: `column-${f + 1}`, title: `${feature.name}${by}`.slice(0, 300) };
    if (feature.type === "categorical") {
      const names = cellNames(feature, own);
      const hasColours = series.length > 1 && series.length <= seriesMost;
      const bars = names.flatMap((level, cell) =>
        series.map(({ name, statistics }, group) => {
          const share = statistics.shares[cell]!;
          const label = series.length === 1 || hasColours ? level : `${level}, ${name}`;
          const own = { label: label.slice(0, 300), value: share.value, ...interval(share) };
          return hasColours ? { ...own, group } : own;
        }),
      );
      const valueLabel = "share of the records with a value, with 95 % intervals";
      const groups = hasColours ? { groups: series.map(({ name }) => name.slice(0, 300)) } : {};
      return { kind: "bars", ...about, valueLabel, ...groups, bars: bars.slice(0, barsMost) };
    }
    const edges = edgesOf(feature, own);
    const widths = edges.slice(1).map((edge, b) => edge - edges[b]!);
    // Intervals of several widths are compared by what a unit holds.
    const isEven = Math.max(...widths) <= Math.min(...widths) * (1 + 1e-9);
    const unit = feature.unit === undefined ? null : nameOf(feature.unit);
    return {
      kind: "curves",
      ...about,
      xLabel: `${feature.name}${feature.unit === undefined ? "" : ` (${feature.unit})`}`.slice(0, 300),
      yLabel: isEven ? "share of the records with a value" : said("finding.share-per", { unit }),
      series: series.slice(0, seriesMost).map(({ name, statistics }) => ({
        label: (series.length === 1 ? "share, with 95 % interval" : name).slice(0, 300),
        style: "band" as const,
        points: widths.slice(0, pointsMost / 2).flatMap((width, b) => {
          const { value, low, high } = statistics.shares[b]!;
          const scale = isEven || width === 0 ? 1 : width;
          const point = { y: value / scale, low: low / scale, high: high / scale };
          return [edges[b]!, edges[b + 1]!].map((x) => ({ x, ...point }));
        }),
      })),
    };
  });
}
