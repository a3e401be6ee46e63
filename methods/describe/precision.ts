import { overExpectedRows } from "@consilium/core/learning/expectedSums";
import type { ExpectedPrecision, Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import { asExpected } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { expectedPrecision } from "../shared/counts/precision.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { countLine } from "../shared/forecast/countLine.js";
import {
  expectedColumns,
  levelAt,
  levelShares,
  middleOf,
  narrower,
  type Situation,
  situations,
} from "../shared/forecast/expectedRows.js";
import { type DescribeResult, describeConversation } from "./conversation.js";
import { asDescribe, type DescribeStudy, describeLayout } from "./study.js";

/** Of a column with more cells only the counts are told: their shares take as many steps as the square of the cells. */
const maxCells = 256;
/** Part of a number's range that a mean or a median is of use within. */
const usefulPart = 0.1;

/** Widths of a release's intervals, by the study's own statistics of rows that are nobody's, at best and as is likely. */
export async function precision(given: Study, input: ForecastInput): Promise<Forecast> {
  const study = asDescribe(given);
  const { rows } = input;
  const layout = describeLayout(study);
  const best = await described(study, situations.best, input);
  const likely = await described(study, situations.likely, input);
  const isOfGroup = layout.groups > 1;
  const own = { rows: Math.floor(rows / layout.groups), isOfGroup };
  const lines = layout.marginals.flatMap(({ features, weight, cells }): ExpectedPrecision[] => {
    const of = features.map((f) => study.features[f]!.name).join(" × ");
    const within = expectedPrecision(study, layout.stage, weight);
    const count = countLine({ of, within, ...own });
    if (features.length === 2) return [countLine({ of, within, rows, isOfGroup: false })];
    if (cells / layout.groups > maxCells) return [count];
    const f = features[0]!;
    const feature = study.features[f]!;
    const both = (estimateOf: (one: Statistics) => Estimate, useful: number) => {
      const [atBest, asLikely] = [best, likely].map(({ columns }) => {
        const { all, groups } = columns[f]!;
        return middleOf((groups.length === 0 ? [all] : groups).map((one) => halfWidth(estimateOf(one))))!;
      }) as [number, number];
      return { best: narrower(atBest, asLikely), likely: asLikely, useful };
    };
    const common = { of, at: null, unit: null, ...own };
    if (feature.type !== "numeric")
      return [count, { ...common, statistic: "share", ...both(({ shares }) => shares[0]!, usefulPart) }];
    const useful = usefulPart * (feature.max - feature.min);
    return [
      {
        ...common,
        unit: feature.unit ?? null,
        statistic: "median",
        ...both((one) => one.numbers!.median, useful),
      },
      {
        ...common,
        unit: feature.unit ?? null,
        statistic: "mean",
        ...both((one) => one.numbers!.mean, useful),
      },
      count,
    ];
  });
  return { lines, remarks: [] };
}

type Statistics = DescribeResult["columns"][number]["all"];

async function described(
  given: DescribeStudy,
  situation: Situation,
  { rows, answer, pause }: ForecastInput,
): Promise<DescribeResult> {
  const study = asExpected(given);
  const { maxRowsPerSite } = study.participation;
  const { block, uniform } = expectedColumns(study.features, situation, { rows, maxRowsPerSite });
  const shares = levelShares(study.label?.levels.length ?? 1, situation.isEven);
  const labels = Uint16Array.from({ length: block.rows }, () => levelAt(shares, uniform()));
  return overExpectedRows({
    study,
    block: study.label === undefined ? block : { ...block, labels },
    rows,
    answer,
    pause,
    run: (conversation) => describeConversation({ study, conversation }),
  });
}

const halfWidth = ({ value, low, high }: Estimate) => Math.max(high - value, value - low);
