import { z95 } from "@consilium/core/linalg/z95";
import type { Figure } from "@consilium/core/release/figures";
import type { ResultTable } from "@consilium/core/release/tables";
import { countedUnits } from "@consilium/core/study/patientWeights";
import { soundSum } from "@consilium/core/study/soundSums";
import { z } from "zod";
import { precisionText } from "../shared/counts/precision.js";
import type { CountsResult } from "./conversation.js";
import { type Condition, type CountsStudy, countsLayout } from "./study.js";

/** What a release of counts holds: model, table, notes and picture. */

const finite = z.number();

export const countsModelSchema = z.strictObject({
  format: z.literal("consilium-counts-model/1"),
  analysis: z.literal("describe"),
  method: z.literal("counts"),
  variant: z.literal("sound"),
  /** Names of the groups of sites; null without any. */
  siteGroups: z.array(z.string()).nullable(),
  conditions: z.array(
    z.strictObject({
      name: z.string(),
      meaning: z.string(),
      /** By group of sites as summed, noise included: they may be negative, or fractions where patients are weighed. */
      counts: z.array(finite),
    }),
  ),
  /** Of each count. */
  noiseStdDev: finite,
});

export type CountsModel = z.output<typeof countsModelSchema>;

export function countsModel(study: CountsStudy, result: CountsResult): CountsModel {
  return {
    format: "consilium-counts-model/1",
    analysis: "describe",
    method: "counts",
    variant: "sound",
    siteGroups: study.parameters.siteGroups?.map(({ name }) => name) ?? null,
    conditions: study.parameters.conditions.map((condition, i) => ({
      name: condition.name,
      meaning: conditionText(study, condition),
      counts: [...result.conditions[i]!.noisy],
    })),
    noiseStdDev: result.noiseStdDev,
  };
}

export function countsFacts(
  study: CountsStudy,
  { noiseStdDev }: CountsResult,
): Record<string, string | number | boolean | null> {
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, countsLayout(study).stage).ringBits}`,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    noiseStdDev,
    conditions: study.parameters.conditions.length,
  };
}

const allSites = "all sites";

export function countsTable(study: CountsStudy, result: CountsResult): ResultTable {
  const { conditions, siteGroups } = study.parameters;
  const rows = conditions.flatMap((condition, i) => {
    const { all, groups } = result.conditions[i]!;
    const lines = [
      { name: allSites, count: all },
      ...(siteGroups ?? []).map(({ name }, g) => ({ name, count: groups[g]! })),
    ];
    const meaning = conditionText(study, condition).slice(0, 1000);
    return lines.map(({ name, count }) => [
      condition.name,
      meaning,
      name,
      ...[count.value, count.low, count.high].map((value) => Number(value.toFixed(1))),
    ]);
  });
  return {
    name: "counts",
    title: `How many ${countedUnits(study)} meet each condition`,
    description:
      "Counts of the sites' records with the noise in them, not negative, and 95 % intervals that cover the noise. Rounded to a tenth.",
    columns: [
      { name: "condition", type: "text", description: "Its name in the study." },
      { name: "meaning", type: "text", description: "What a record must meet." },
      { name: "sites", type: "text", description: `A group of sites, or ${allSites}.` },
      { name: "count", type: "number", description: "Records that meet it, noise included, not negative." },
      { name: "count_low", type: "number", description: "Where its 95 % interval begins." },
      { name: "count_high", type: "number", description: "Where it ends." },
    ],
    rows,
    isShown: true,
  };
}

const barsMost = 500;

export function countsFigure(study: CountsStudy, result: CountsResult): Figure {
  const bars = study.parameters.conditions.map(({ name }, i) => {
    const { value, low, high } = result.conditions[i]!.all;
    return { label: name, value, low, high };
  });
  return {
    kind: "bars",
    name: "counts",
    title: `How many ${countedUnits(study)} meet each condition`,
    valueLabel: `${countedUnits(study)} at all sites, with 95 % intervals of the noise`,
    bars: bars.slice(0, barsMost),
  };
}

export function countsNotes(study: CountsStudy, { noiseStdDev }: CountsResult): string[] {
  const units = countedUnits(study);
  const perGroup = study.parameters.siteGroups === undefined ? "" : " of a group of sites";
  return [
    study.privacy === "none"
      ? "No noise was added anywhere."
      : `Each count${perGroup} carries noise that is within ${precisionText(z95 * noiseStdDev)} in 95 % of cases. A count whose interval begins at 0 cannot be told from none.`,
    `A ${units === "patients" ? "patient" : "row"} may meet several conditions, and is counted for each. A missing number is neither at least nor below anything.`,
  ];
}

/** What a condition says, in words. */
export function conditionText({ features }: CountsStudy, { all }: Condition): string {
  if (all.length === 0) return "every record";
  return all
    .map((one) => {
      if ("missing" in one) return `${one.column} ${one.missing ? "is" : "is not"} missing`;
      if ("in" in one) return `${one.column} is ${one.in.join(" or ")}`;
      const unit = features.find((feature) => feature.name === one.column && feature.type === "numeric");
      const suffix = unit?.type === "numeric" && unit.unit !== undefined ? ` ${unit.unit}` : "";
      const parts = [
        ...(one.atLeast === undefined ? [] : [`${one.column} is at least ${one.atLeast}${suffix}`]),
        ...(one.below === undefined ? [] : [`${one.column} is below ${one.below}${suffix}`]),
      ];
      return parts.join(" and ");
    })
    .join(", and ");
}
