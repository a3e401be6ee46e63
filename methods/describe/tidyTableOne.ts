import type { ResultTable } from "@consilium/core/release/tables";
import { missingLevel } from "@consilium/core/study/features";
import { countedUnits } from "@consilium/core/study/patientWeights";
import { cellNames } from "../shared/columns/counted.js";
import type { DescribeResult } from "./conversation.js";
import { type Group, groupsOf, overall } from "./groups.js";
import { type DescribeStudy, describeLayout } from "./study.js";

type Cells = ResultTable["rows"][number];

/** Every number of the printed table one in a line of its own, with its interval: to compute with, and for a page to show. */
export function tidyTableOne(study: DescribeStudy, result: DescribeResult): ResultTable {
  const { features } = describeLayout(study);
  const groups = groupsOf(study, result);
  /** One line for each group. */
  const lines = (
    about: readonly (string | null)[],
    statistic: string,
    of: (group: Group) => { readonly value: number | null; readonly low: number; readonly high: number },
  ) =>
    groups.map((group): Cells => {
      const { value, low, high } = of(group);
      return [...about, statistic, group.name, value, low, high];
    });
  const rows = study.features.flatMap((feature, f) => {
    const own = features[f]!;
    const statisticsOf = (group: Group) => group.statistics(result.columns[f]!);
    const unit = feature.type === "numeric" ? (feature.unit ?? null) : null;
    const cell = (name: string, index: number) => {
      const about = [feature.name, unit, name];
      return [
        ...lines(about, "count", (group) => statisticsOf(group).counts[index]!),
        ...lines(about, "share", (group) => statisticsOf(group).shares[index]!),
      ];
    };
    if (feature.type === "categorical") return cellNames(feature, own).flatMap(cell);
    const about = [feature.name, unit, null];
    return [
      ...lines(about, "median", (group) => statisticsOf(group).numbers!.median),
      ...lines(about, "lower quartile", (group) => statisticsOf(group).numbers!.lowerQuartile),
      ...lines(about, "upper quartile", (group) => statisticsOf(group).numbers!.upperQuartile),
      ...lines(about, "mean", (group) => statisticsOf(group).numbers!.mean),
      ...lines(about, "standard deviation", (group) => statisticsOf(group).numbers!.stdDev),
      ...(own.missing === null ? [] : cell(missingLevel, own.missing)),
    ];
  });
  return {
    name: "table-one-tidy",
    title: "Table one, a number a line, with intervals",
    description:
      "Every number of the table one with its interval of 95 %. Those of counts cover the noise, all others sampling and noise.",
    columns: [
      text("variable", "The column; rows or patients where all of them are counted."),
      text("unit", "Of a number, where the study says one."),
      text("level", `Of a count or a share, the level, or ${missingLevel}; empty of anything else.`),
      text(
        "statistic",
        "n, count, share, median, lower quartile, upper quartile, mean or standard deviation. Shares are of the records with a value, those of missing values of all records.",
      ),
      text("group", `A level of the label, or ${overall}.`),
      number(
        "estimate",
        "In the column's unit; of a share, a part of 1. Empty of a standard deviation that its interval does not tell to a quarter.",
      ),
      number("low", "Where its 95 % interval begins."),
      number("high", "Where it ends."),
    ],
    rows: [...lines([countedUnits(study), null, null], "n", ({ records }) => records), ...rows],
    isShown: false,
  };
}

const text = (name: string, description: string) => ({ name, type: "text" as const, description });
const number = (name: string, description: string) => ({ name, type: "number" as const, description });
