import type { ResultTable } from "@consilium/core/release/tables";
import type { FeatureSelectionModel } from "./model.js";

const number = (name: string, description: string) => ({ name, type: "number" as const, description });
const text = (name: string, description: string) => ({ name, type: "text" as const, description });

/** The ranking as a table: every feature with its weight, the largest first. */
export function weightsTable({ features }: FeatureSelectionModel): ResultTable {
  return {
    name: "weights",
    title: "What each feature is worth",
    description:
      "The largest weight first. Intervals hold the weight without noise with probability 0.95; how often a feature is selected again says how sure the selection is.",
    columns: [
      number("rank", "Its place: 1 has the largest weight."),
      text("feature", "The study's column."),
      number("weight", "As released, with the noise."),
      number("weight_low", "Where the interval of the weight without noise begins; empty without noise."),
      number("weight_high", "Where it ends."),
      number("std_dev", "Standard deviation of the noise in the weight; empty without noise."),
      text("selected", "yes or no."),
      number(
        "selected_again",
        "How often it is among the selected when as much noise is added once more, from 0 to 1; empty without noise.",
      ),
    ],
    rows: features.map(({ rank, name, weight, low, high, stdDev, selected, topShare }) => [
      rank,
      name,
      weight,
      low,
      high,
      stdDev,
      selected ? "yes" : "no",
      topShare,
    ]),
    isShown: true,
  };
}
