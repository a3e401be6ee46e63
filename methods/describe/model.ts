import { z } from "zod";
import { edgesOf } from "../shared/columns/counted.js";
import type { DescribeResult } from "./conversation.js";
import { rootBits } from "./numbers.js";
import { type DescribeStudy, describeLayout } from "./study.js";

/** `model.json` of a release of descriptive statistics: the noisy sums as they came, to compute anything else from. */

const finite = z.number();
const cells = {
  /** Counts as summed, noise included: they may be negative, or fractions where patients are weighed. */
  counts: z.array(finite),
  /** Of each of them. */
  noiseStdDev: finite,
};

const byGroup = z.array(finite);

const numbers = z.strictObject({
  /** Of z = (value - min)/(max - min) - ½ its sum, and the sum of z² - ⅛. */
  moments: z.strictObject({
    sums: byGroup,
    sumNoiseStdDev: finite,
    squares: byGroup,
    squaresNoiseStdDev: finite,
  }),
  smallCells: z.strictObject({
    /** A cell that ends where it begins holds one number. */
    edges: z.array(finite),
    /** [groups][cells], perhaps negative; their noise is `noiseStdDev` times the lower triangular Toeplitz matrix of `root`, inverted. */
    counts: z.array(z.array(finite)),
    noiseStdDev: finite,
    /** First column of the matrix. */
    root: z.array(finite),
  }),
});

export const describeModelSchema = z.strictObject({
  format: z.literal("consilium-describe-model/2"),
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
      /** Null of a category. */
      numbers: numbers.nullable(),
    }),
  ),
  /** [first's cells × second's] each. */
  tables: z.array(z.strictObject({ columns: z.tuple([z.string(), z.string()]), ...cells })),
});

export type DescribeModel = z.output<typeof describeModelSchema>;

export function describeModel(study: DescribeStudy, result: DescribeResult): DescribeModel {
  const { features, marginals, numbers: layouts } = describeLayout(study);
  const { sums, noiseStdDev, consistent } = result;
  const cellsOf = (i: number) => {
    const { offset, cells: count, weight } = marginals[i]!;
    return {
      counts: [...sums.subarray(offset, offset + count)].map((sum) => sum / weight),
      noiseStdDev: noiseStdDev / weight,
    };
  };
  const numbersOf = (f: number) => {
    const [sections, own] = [layouts[f], result.numbers[f]];
    if (!sections || !own) return null;
    const { noise } = own.groups[0]!;
    const scale = 2 ** rootBits;
    return {
      moments: {
        sums: own.groups.map(({ sum }) => sum),
        sumNoiseStdDev: noise.sum,
        squares: own.groups.map(({ squares }) => squares),
        squaresNoiseStdDev: noise.squares,
      },
      smallCells: {
        edges: [...sections.cells.edges],
        counts: own.groups.map(({ counts }) => [...counts]),
        noiseStdDev: noise.run / scale,
        root: [...sections.root.column].map((entry) => entry / scale),
      },
    };
  };
  return {
    format: "consilium-describe-model/2",
    analysis: "describe",
    method: "describe",
    variant: "sound",
    groups: study.label === undefined ? null : { name: study.label.name, levels: [...study.label.levels] },
    records: { count: consistent.total.noisy, noiseStdDev: consistent.total.stdDev },
    columns: study.features.map((feature, f) => {
      const { binned, missing } = features[f]!;
      return {
        name: feature.name,
        edges: feature.type === "numeric" ? edgesOf(feature, features[f]!) : null,
        levels: feature.type === "numeric" ? null : [...binned.levels],
        countsMissing: missing !== null,
        ...cellsOf(f),
        numbers: numbersOf(f),
      };
    }),
    tables: study.parameters.tables.map((columns, i) => ({ columns, ...cellsOf(study.features.length + i) })),
  };
}
