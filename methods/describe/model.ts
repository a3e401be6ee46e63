import { z } from "zod";
import type { DescribeResult } from "./conversation.js";
import { type DescribeStudy, describeLayout } from "./study.js";

/** `model.json` of a release of descriptive statistics: the noisy counts as they were summed, to compute anything else from. */

const finite = z.number();
const cells = {
  /** Counts as summed, noise included: they may be negative, or fractions where patients are weighed. */
  counts: z.array(finite),
  /** Of each of them. */
  noiseStdDev: finite,
};

export const describeModelSchema = z.strictObject({
  format: z.literal("consilium-describe-model/1"),
  analysis: z.literal("describe"),
  method: z.literal("describe"),
  variant: z.literal("sound"),
  /** By what the columns are counted; null without a label. */
  groups: z.strictObject({ name: z.string(), levels: z.array(z.string()) }).nullable(),
  /** All of them, by the totals of all tables together. */
  records: z.strictObject({ count: finite, noiseStdDev: finite }),
  columns: z.array(
    z.strictObject({
      name: z.string(),
      /** Of a number, where its intervals begin and end; null of a category. */
      edges: z.array(finite).nullable(),
      /** Of a category; null of a number. */
      levels: z.array(z.string()).nullable(),
      /** Whether its last cell is that of missing values. */
      countsMissing: z.boolean(),
      /** [groups × cells] */
      ...cells,
    }),
  ),
  /** [first's cells × second's] each. */
  tables: z.array(z.strictObject({ columns: z.tuple([z.string(), z.string()]), ...cells })),
});

export type DescribeModel = z.output<typeof describeModelSchema>;

export function describeModel(study: DescribeStudy, result: DescribeResult): DescribeModel {
  const { features, marginals } = describeLayout(study);
  const { sums, noiseStdDev, consistent } = result;
  const cellsOf = (i: number) => {
    const { offset, cells: count, weight } = marginals[i]!;
    return {
      counts: [...sums.subarray(offset, offset + count)].map((sum) => sum / weight),
      noiseStdDev: noiseStdDev / weight,
    };
  };
  return {
    format: "consilium-describe-model/1",
    analysis: "describe",
    method: "describe",
    variant: "sound",
    groups: study.label === undefined ? null : { name: study.label.name, levels: [...study.label.levels] },
    records: { count: consistent.total.noisy, noiseStdDev: consistent.total.stdDev },
    columns: study.features.map((feature, f) => {
      const { binned, missing } = features[f]!;
      const isNumber = feature.type === "numeric";
      return {
        name: feature.name,
        edges: isNumber ? [feature.min, ...binned.edges, feature.max] : null,
        levels: isNumber ? null : [...binned.levels],
        countsMissing: missing !== null,
        ...cellsOf(f),
      };
    }),
    tables: study.parameters.tables.map((columns, i) => ({ columns, ...cellsOf(study.features.length + i) })),
  };
}
