import type { ResultTable } from "@consilium/core/release/tables";
import { missingLevel, type NumericFeature } from "@consilium/core/study/features";
import { countedUnits } from "@consilium/core/study/patientWeights";
import { cellNames, edgesOf } from "../shared/columns/counted.js";
import { numberText } from "../shared/counts/noisyCount.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import type { DescribeResult } from "./conversation.js";
import { type Group, groupsOf, overall } from "./groups.js";
import type { NumberStatistics } from "./statistics.js";
import { type DescribeStudy, describeLayout } from "./study.js";
import { tidyTableOne } from "./tidyTableOne.js";

/** The released tables: a table one as it is printed, and the same numbers and all others with their intervals. */
export function describeTables(study: DescribeStudy, result: DescribeResult): ResultTable[] {
  const tables = [
    tableOne(study, result),
    tidyTableOne(study, result),
    summary(study, result),
    histograms(study, result),
  ];
  return study.parameters.tables.length === 0 ? tables : [...tables, crossTables(study, result)];
}

type Cells = ResultTable["rows"][number];

const text = (name: string, description: string) => ({ name, type: "text" as const, description });
const number = (name: string, description: string) => ({ name, type: "number" as const, description });

/** Digits after the point that tell a hundredth of a column's range apart. */
function digitsFor({ min, max }: NumericFeature): number {
  return Math.min(9, Math.max(0, 2 - Math.floor(Math.log10((max - min) / 2))));
}

type Told = { readonly value: number | null; readonly low: number; readonly high: number };

const rangeText = ({ low, high }: Told, digits: number) =>
  `${numberText(low, digits)} to ${numberText(high, digits)}`;

/** Such as `62.1 (61.5 to 62.6)`: alone where it is exact, with a dash where it cannot be told. */
function toldText(told: Told, digits: number): string {
  const value = told.value === null ? "–" : numberText(told.value, digits);
  return told.low === told.high ? value : `${value} (${rangeText(told, digits)})`;
}

/** Such as `44 (12 to 76), 0.6 % (0.2 to 1.0)`, or `< 107, < 1.4 %` where there may be none. */
function countedText(count: Estimate, share: Estimate): string {
  const percent = { value: 100 * share.value, low: 100 * share.low, high: 100 * share.high };
  if (count.low === 0 && count.high > 0) {
    const most = `< ${numberText(Math.ceil(count.high), 0)}`;
    // A share of up to all says nothing.
    return share.high >= 1 ? most : `${most}, < ${numberText(Math.ceil(10 * percent.high) / 10, 1)} %`;
  }
  return `${toldText(count, 0)}, ${numberText(percent.value, 1)} % (${rangeText(percent, 1)})`;
}

function tableOne(study: DescribeStudy, result: DescribeResult): ResultTable {
  const { features } = describeLayout(study);
  const groups = groupsOf(study, result);
  const line = (variable: string, what: string, cell: (group: Group) => string): Cells => [
    variable,
    what,
    ...groups.map(cell),
  ];
  const rows: Cells[] = [
    line(countedUnits(study), "n (95 % interval)", ({ records }) => toldText(records, 0)),
  ];
  study.features.forEach((feature, f) => {
    const own = features[f]!;
    const column = result.columns[f]!;
    const counted = (variable: string, name: string, cell: number) =>
      line(variable, `${name}, n, % (95 % intervals)`, (group) => {
        const { counts, shares } = group.statistics(column);
        return countedText(counts[cell]!, shares[cell]!);
      });
    if (feature.type === "categorical") {
      cellNames(feature, own).forEach((level, cell) => {
        rows.push(counted(feature.name, cell === own.missing ? "missing" : level, cell));
      });
      return;
    }
    const variable = `${feature.name}${feature.unit === undefined ? "" : ` (${feature.unit})`}`;
    const digits = digitsFor(feature);
    const numbers = (what: string, of: (numbers: NumberStatistics) => readonly Told[]) =>
      line(variable, what, (group) =>
        of(group.statistics(column).numbers!)
          .map((told) => toldText(told, digits))
          .join(", "),
      );
    rows.push(
      numbers("median (95 % interval)", ({ median }) => [median]),
      numbers("quartiles (95 % intervals)", ({ lowerQuartile, upperQuartile }) => [
        lowerQuartile,
        upperQuartile,
      ]),
      numbers("mean (95 % interval)", ({ mean }) => [mean]),
      numbers("SD (95 % interval)", ({ stdDev }) => [stdDev]),
    );
    if (own.missing !== null) rows.push(counted(variable, "missing", own.missing));
  });
  return {
    name: "table-one",
    title: "Table one",
    description:
      "Each number with its interval of 95 %. Numbers: median, lower and upper quartile, mean and standard deviation (SD), a dash where its interval is too wide to tell it. Categories: count, and part of those with a value. Missing values: count, and part of all. Below a number where there may be none at all. Rounded; the same numbers a line each are in table-one-tidy.csv.",
    columns: [
      text("variable", "The column, with its unit."),
      text("statistic", "What the cells hold."),
      ...groups.map(({ heading }) => text(heading.slice(0, 300), "As a person prints it.")),
    ],
    rows,
    isShown: true,
  };
}

function summary(study: DescribeStudy, result: DescribeResult): ResultTable {
  const groups = groupsOf(study, result);
  const rows = study.features.flatMap((feature, f) =>
    groups.flatMap((group): Cells[] => {
      const { numbers } = group.statistics(result.columns[f]!);
      if (numbers === null) return [];
      const { mean, stdDev, lowerQuartile, median, upperQuartile } = numbers;
      const line = (what: string, { value, low, high }: Told): Cells => [
        feature.name,
        group.name,
        what,
        value,
        low,
        high,
      ];
      return [
        line("median", median),
        line("lower quartile", lowerQuartile),
        line("upper quartile", upperQuartile),
        line("mean", mean),
        line("standard deviation", stdDev),
      ];
    }),
  );
  return {
    name: "summary",
    title: "Numbers in short, with intervals",
    description:
      "Of each numeric column its quartiles, mean and standard deviation, over all records and by group.",
    columns: [
      text("variable", "The column."),
      text("group", `A level of the label, or ${overall}.`),
      text("statistic", "median, lower quartile, upper quartile, mean or standard deviation."),
      number(
        "estimate",
        "In the column's unit; empty of a standard deviation that its interval does not tell to a quarter.",
      ),
      number("low", "Where its 95 % interval begins: it covers sampling and noise."),
      number("high", "Where it ends."),
    ],
    rows,
    isShown: false,
  };
}

function histograms(study: DescribeStudy, result: DescribeResult): ResultTable {
  const { features } = describeLayout(study);
  const groups = groupsOf(study, result);
  const rows = study.features.flatMap((feature, f) => {
    const own = features[f]!;
    const names = cellNames(feature, own);
    const edges = feature.type === "numeric" ? edgesOf(feature, own) : null;
    return groups.flatMap((group) => {
      const { counts, shares } = group.statistics(result.columns[f]!);
      return names.map((name, cell): Cells => {
        const [count, share] = [counts[cell]!, shares[cell]!];
        return [
          feature.name,
          group.name,
          name,
          ...(edges === null || cell === own.missing ? [null, null] : [edges[cell]!, edges[cell + 1]!]),
          count.value,
          count.low,
          count.high,
          share.value,
          share.low,
          share.high,
        ];
      });
    });
  });
  return {
    name: "histograms",
    title: "Counts and shares of each value or interval",
    description: "One line for each cell of each column, over all records and by group.",
    columns: [
      text("variable", "The column."),
      text("group", `A level of the label, or ${overall}.`),
      text("cell", `The level or interval, or ${missingLevel}.`),
      number("from", "Where an interval begins; empty of anything else."),
      number("to", "Where it ends, without the end itself, but for the last one."),
      number("count", "Records, not negative, with the same total for each column."),
      number("count_low", "Where its 95 % interval begins: it covers the noise."),
      number("count_high", "Where it ends."),
      number("share", "Part of the records with a value; of missing values, part of all records."),
      number("share_low", "Where its 95 % interval begins: it covers sampling and noise."),
      number("share_high", "Where it ends."),
    ],
    rows,
    isShown: false,
  };
}

function crossTables(study: DescribeStudy, result: DescribeResult): ResultTable {
  const { features, marginals } = describeLayout(study);
  const rows = result.pairs.flatMap((statistics, i) => {
    const [a, b] = marginals[study.features.length + i]!.features as readonly [number, number];
    const [first, second] = [a, b].map((f) => cellNames(study.features[f]!, features[f]!));
    return first!.flatMap((row, r) =>
      second!.map((column, c): Cells => {
        const cell = r * second!.length + c;
        const [count, share] = [statistics.counts[cell]!, statistics.shares[cell]!];
        return [
          study.features[a]!.name,
          row,
          study.features[b]!.name,
          column,
          count.value,
          count.low,
          count.high,
          share.value,
          share.low,
          share.high,
        ];
      }),
    );
  });
  return {
    name: "cross-tables",
    title: "Two-way tables",
    description: "One line for each combination of two columns' cells.",
    columns: [
      text("first", "One column."),
      text("first_cell", "Its level or interval."),
      text("second", "The other column."),
      text("second_cell", "Its level or interval."),
      number("count", "Records, not negative, with the same total for each table."),
      number("count_low", "Where its 95 % interval begins: it covers the noise."),
      number("count_high", "Where it ends."),
      number("share", "Part of all records, those with missing values among them."),
      number("share_low", "Where its 95 % interval begins: it covers sampling and noise."),
      number("share_high", "Where it ends."),
    ],
    rows,
    isShown: false,
  };
}
