import type { ResultTable } from "@consilium/core/release/tables";
import { missingLevel } from "@consilium/core/study/features";
import { countedUnits } from "@consilium/core/study/patientWeights";
import { cellNames } from "../shared/columns/counted.js";
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
function digitsFor(edges: readonly number[]): number {
  const range = edges.at(-1)! - edges[0]!;
  return Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(range / 2))));
}

function tableOne(study: DescribeStudy, result: DescribeResult): ResultTable {
  const { features } = describeLayout(study);
  const groups = groupsOf(study, result);
  const line = (variable: string, what: string, cell: (group: Group) => string): Cells => [
    variable,
    what,
    ...groups.map(cell),
  ];
  const counted = ({ value }: Estimate, share: Estimate) =>
    `${numberText(value, 0)} (${numberText(100 * share.value, 1)} %)`;
  const rows: Cells[] = [line(countedUnits(study), "n", ({ records }) => numberText(records.value, 0))];
  study.features.forEach((feature, f) => {
    const own = features[f]!;
    const column = result.columns[f]!;
    const unit = feature.type === "numeric" && feature.unit !== undefined ? ` (${feature.unit})` : "";
    const variable = `${feature.name}${unit}`;
    const ofCell = (cell: number) => (group: Group) => {
      const { counts, shares } = group.statistics(column);
      return counted(counts[cell]!, shares[cell]!);
    };
    if (feature.type === "numeric") {
      const digits = digitsFor(column.all.numbers!.edges);
      const shown = ({ value }: Estimate) => numberText(value, digits);
      const numbers = (of: (numbers: NumberStatistics) => string) => (group: Group) =>
        of(group.statistics(column).numbers!);
      rows.push(
        line(
          variable,
          "mean (SD)",
          numbers(({ mean, stdDev }) => `${shown(mean)} (${shown(stdDev)})`),
        ),
        line(
          variable,
          "median [Q1, Q3]",
          numbers(
            ({ median, lowerQuartile, upperQuartile }) =>
              `${shown(median)} [${shown(lowerQuartile)}, ${shown(upperQuartile)}]`,
          ),
        ),
      );
      if (own.missing !== null) rows.push(line(variable, "missing, n (%)", ofCell(own.missing)));
      return;
    }
    cellNames(feature, own).forEach((level, cell) => {
      const what = cell === own.missing ? "missing, n (%)" : `${level}, n (%)`;
      rows.push(line(variable, what, ofCell(cell)));
    });
  });
  return {
    name: "table-one",
    title: "Table one",
    description:
      "Numbers: mean (standard deviation) and median [quartiles], from counts by interval. Categories: count (part of those with a value). Missing values: count (part of all). Rounded; the same numbers with their intervals are in table-one-tidy.csv.",
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
      const line = (what: string, { value, low, high }: Estimate, discretisation: number | null): Cells => [
        feature.name,
        group.name,
        what,
        value,
        low,
        high,
        discretisation,
      ];
      return [
        line("mean", mean, mean.discretisation),
        line("standard deviation", stdDev, stdDev.discretisation),
        line("lower quartile", lowerQuartile, null),
        line("median", median, null),
        line("upper quartile", upperQuartile, null),
      ];
    }),
  );
  return {
    name: "summary",
    title: "Numbers in short, with intervals",
    description:
      "Of each numeric column its mean, standard deviation and quartiles, over all records and by group.",
    columns: [
      text("variable", "The column."),
      text("group", `A level of the label, or ${overall}.`),
      text("statistic", "mean, standard deviation, lower quartile, median or upper quartile."),
      number("estimate", "In the column's unit."),
      number("low", "Where its 95 % interval begins: it covers sampling and noise."),
      number("high", "Where it ends."),
      number(
        "discretisation",
        "How far the statistic of the records can be from that of their intervals, on top; empty of quartiles, whose intervals cover it.",
      ),
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
    return groups.flatMap((group) => {
      const { counts, shares, numbers } = group.statistics(result.columns[f]!);
      return names.map((name, cell): Cells => {
        const isInterval = numbers !== null && cell !== own.missing;
        const [count, share] = [counts[cell]!, shares[cell]!];
        return [
          feature.name,
          group.name,
          name,
          ...(isInterval ? [numbers.edges[cell]!, numbers.edges[cell + 1]!] : [null, null]),
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
