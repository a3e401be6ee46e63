import { z } from "zod";
import type { CountSection } from "../shared/counts/sections.js";
import { jointOf, type NoisySum, type SyntheticTableResult } from "./conversation.js";
import { decimalsOf } from "./release.js";
import { planSyntheticTable, type SyntheticTableStudy, syntheticTableLayout } from "./study.js";

/** `model.json` of a release of synthetic rows: what they were drawn from, and the noisy counts that it was made of. */

const finite = z.number();
const measured = {
  /** As summed: they may be negative, and fractions where patients are weighed. */
  counts: z.array(finite),
  noiseStdDev: finite,
};

export const syntheticTableModelSchema = z.strictObject({
  format: z.literal("consilium-synthetic-table/1"),
  analysis: z.literal("synthetic-table"),
  method: z.literal("synthetic-table"),
  variant: z.literal("sound"),
  /** The rows follow from these, the columns and the tree: docs/methods/synthetic-table.md#draw. */
  rows: z.strictObject({ count: z.int(), seed: z.string() }),
  /** As all tables of the second sum together say. */
  records: z.strictObject({ count: finite, noiseStdDev: finite }),
  columns: z.array(
    z.strictObject({
      name: z.string(),
      /** Of a number, where its intervals begin and end; null of a category. */
      edges: z.array(finite).nullable(),
      levels: z.array(z.string()).nullable(),
      /** Whether its last cell is that of missing values. */
      countsMissing: z.boolean(),
      decimals: z.int().nullable(),
      /** Of its cells. */
      probabilities: z.array(finite),
      /** The place of the column that it is drawn given, and [parent's cells × own] probabilities; null of the root. */
      given: z.strictObject({ column: z.int(), probabilities: z.array(finite) }).nullable(),
      /** In the second sum. */
      measured: z.strictObject({
        own: z.strictObject(measured),
        withParent: z.strictObject(measured).nullable(),
      }),
    }),
  ),
  /** Places of the columns in the order in which they are drawn. */
  order: z.array(z.int()),
  /** The first sum: coarse tables of pairs of columns, [first's coarse cells × second's]. */
  pairs: z.array(z.strictObject({ columns: z.tuple([z.int(), z.int()]), ...measured })),
  /** Of each column and cell, its coarse one in the first sum. */
  coarse: z.array(z.array(z.int())),
  privacy: z.strictObject({ epsilon: finite.nullable(), delta: finite.nullable() }),
});

export type SyntheticTableModel = z.output<typeof syntheticTableModelSchema>;

export function syntheticTableModel(
  study: SyntheticTableStudy,
  result: SyntheticTableResult,
  rows: { readonly seed: string; readonly rows: number },
): SyntheticTableModel {
  const { columns, margins, pairs } = syntheticTableLayout(study);
  const { model, tables, total } = result;
  const { claim } = planSyntheticTable(study);
  const measuredOf = ({ sums, stdDev }: NoisySum, { offset, cells, weight }: CountSection) => ({
    counts: [...sums.subarray(offset, offset + cells)].map((sum) => sum / weight),
    noiseStdDev: stdDev / weight,
  });
  return {
    format: "consilium-synthetic-table/1",
    analysis: "synthetic-table",
    method: "synthetic-table",
    variant: "sound",
    rows: { count: rows.rows, seed: rows.seed },
    records: { count: total.noisy, noiseStdDev: total.stdDev },
    columns: study.features.map((feature, c) => {
      const { binned, missing } = columns[c]!;
      const isNumber = feature.type === "numeric";
      const conditional = model.conditionals[c]!;
      const joint = conditional === null ? null : jointOf(study, model, tables, c);
      return {
        name: feature.name,
        edges: isNumber ? [feature.min, ...binned.edges, feature.max] : null,
        levels: isNumber ? null : [...binned.levels],
        countsMissing: missing !== null,
        decimals: decimalsOf(study, feature),
        probabilities: [...model.margins[c]!],
        given: conditional === null ? null : { column: model.parents[c]!, probabilities: [...conditional] },
        measured: {
          own: measuredOf(tables, margins[c]!),
          withParent:
            joint === null ? null : { counts: [...joint.counts], noiseStdDev: tables.stdDev / joint.weight },
        },
      };
    }),
    order: [...model.order],
    pairs:
      result.pairs === null
        ? []
        : pairs!.tables.map((table) => ({
            columns: [...table.columns] as [number, number],
            ...measuredOf(result.pairs!, table),
          })),
    coarse: columns.map(({ coarseOf }) => [...coarseOf]),
    privacy: { epsilon: claim.epsilon, delta: claim.delta },
  };
}
