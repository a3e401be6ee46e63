import { z } from "zod";
import { designValue, modelColumnSchema, modelColumns, type RawRow } from "../shared/columns/modelColumns.js";
import { projectInto } from "../shared/pca/projectInto.js";
import { ballShare, type DpPcaBall } from "./ball.js";
import type { NoisyMoments, NoisySubspace, ReducedClass } from "./moments.js";
import { type DpPcaStudy, dpPcaLayout, dpPcaStdDev, planDpPca } from "./study.js";

/** `model.json` of a dp-pca release: all that is needed to reduce a row, and to draw the synthetic rows again. */

const numbers = z.array(z.number());

export const dpPcaModelSchema = z
  .strictObject({
    format: z.literal("consilium-dp-pca-model/1"),
    analysis: z.literal("pca"),
    method: z.literal("dp-pca"),
    variant: z.literal("sound"),
    form: z.enum(["one-round", "two-round", "iteration"]),
    /** k. */
    components: z.int().min(1),
    /** The d design columns, in the order of `centre` and of each row of `loadings`. */
    columns: z.array(modelColumnSchema).min(1),
    /**
     * Where centre and radius come from: the study, or two noisy sums that had this part of ρ. Models of earlier versions have
     * no such key: theirs are declared.
     */
    ball: z
      .discriminatedUnion("origin", [
        z.strictObject({ origin: z.literal("declared") }),
        z.strictObject({ origin: z.literal("private"), share: z.number() }),
      ])
      .optional(),
    /** [d] c0: what a row, mapped to 0 to 1 by the declared bounds, is centred by. Never the exact mean of anybody's table. */
    centre: numbers,
    /** R: the centred row is divided by it, then moved onto the ball of radius 1 if it lies outside. */
    radius: z.number().positive(),
    /** [k][d] orthonormal rows. */
    loadings: z.array(numbers),
    /** [k] of the noisy covariance, descending, possibly negative. */
    eigenvalues: numbers,
    /** [k] max(eigenvalue, 0). */
    explainedVariance: numbers,
    /** [k] as a part of all positive eigenvalues of the noisy covariance; null where only k of them are known. */
    explainedVarianceRatio: numbers.nullable(),
    /** [k] of all rows, in reduced coordinates, with noise. */
    mean: numbers,
    /** Number of rows, with noise: no whole number. */
    rows: z.number(),
    /** Per level of the label, or one for all rows: a normal distribution in reduced coordinates. */
    classes: z
      .array(
        z.strictObject({
          level: z.string().nullable(),
          rows: z.number(),
          mean: numbers,
          covariance: z.array(numbers),
        }),
      )
      .min(1),
    noise: z.strictObject({
      /** Of an entry of the diagonal, in units of the clipped rows' second moment, at least; 0 without privacy. */
      stdDev: z.number(),
      epsilon: z.number().nullable(),
      delta: z.number().nullable(),
    }),
    synthetic: z.strictObject({
      /** Public: with it and `classes` the rows can be drawn again. */
      seed: z.string(),
      /** Rows of each class. */
      counts: z.array(z.int().min(0)),
    }),
    solver: z.string(),
  })
  .refine(
    (m) =>
      m.centre.length === m.columns.length &&
      m.loadings.length === m.components &&
      m.loadings.every((row) => row.length === m.columns.length) &&
      [m.eigenvalues, m.explainedVariance, m.mean].every((v) => v.length === m.components) &&
      (m.explainedVarianceRatio === null || m.explainedVarianceRatio.length === m.components) &&
      m.synthetic.counts.length === m.classes.length &&
      m.classes.every((c) => c.mean.length === m.components && c.covariance.length === m.components),
    "the lengths of centre, loadings, eigenvalues and classes do not fit columns and components",
  );

export type DpPcaModel = z.output<typeof dpPcaModelSchema>;

/**
 * The model of a finished study.
 * @param pooled - of all rows, in reduced coordinates
 * @param counts - of synthetic rows per class
 */
export function dpPcaModel(options: {
  readonly study: DpPcaStudy;
  readonly ball: DpPcaBall;
  readonly subspace: NoisySubspace;
  readonly pooled: NoisyMoments;
  readonly classes: readonly ReducedClass[];
  readonly synthetic: { readonly seed: string; readonly counts: readonly number[] };
  readonly solver: string;
}): DpPcaModel {
  const { study, ball, subspace, pooled, classes, synthetic } = options;
  const layout = dpPcaLayout(study);
  const { columns: d, components: k } = layout;
  const { claim } = planDpPca(study);
  return dpPcaModelSchema.parse({
    format: "consilium-dp-pca-model/1",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    form: layout.form,
    components: k,
    columns: modelColumns(study.features),
    ball: layout.choice === null ? { origin: "declared" } : { origin: "private", share: ballShare(study) },
    centre: Array.from(ball.centre),
    radius: ball.radius,
    loadings: rowsOf(subspace.loadings, d),
    eigenvalues: Array.from(subspace.eigenvalues),
    explainedVariance: Array.from(subspace.eigenvalues, (value) => Math.max(value, 0)),
    explainedVarianceRatio: subspace.ratio === null ? null : Array.from(subspace.ratio),
    mean: Array.from(pooled.mean),
    rows: pooled.rows,
    classes: classes.map((one, c) => ({
      level: study.label?.levels[c] ?? null,
      rows: one.rows,
      mean: Array.from(one.mean),
      covariance: rowsOf(one.covariance, k),
    })),
    noise: { stdDev: dpPcaStdDev(study), epsilon: claim.epsilon, delta: claim.delta },
    synthetic: { seed: synthetic.seed, counts: [...synthetic.counts] },
    solver: options.solver,
  });
}

function rowsOf(flat: Float64Array, width: number): number[][] {
  return Array.from({ length: flat.length / width }, (_, i) =>
    Array.from(flat.subarray(i * width, (i + 1) * width)),
  );
}

/**
 * Reduces one row of one's own, as the sites' rows were before they were added up: V·clip_1((u - c0)/R).
 * @param raw - by source column; columns that the model does not name are ignored
 * @returns [k], of length at most 1, in the coordinates of the synthetic rows
 * @throws ConsiliumError COLUMN_MISSING, VALUE_MISSING, COLUMN_TYPE, VALUE_NOT_FINITE or LEVEL_UNDECLARED, naming the
 *   column and never the value
 */
export function projectDpPcaRow(model: DpPcaModel, raw: RawRow): Float64Array {
  const row = Float64Array.from(model.columns, (column, j) => {
    const value = designValue(model.columns, raw, j);
    const unit = column.level === null ? (value - column.min) / (column.max - column.min) : value;
    return (unit - model.centre[j]!) / model.radius;
  });
  const length = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
  if (length > 1) for (let j = 0; j < row.length; j++) row[j] = row[j]! / length;
  const out = new Float64Array(model.components);
  projectInto(row, Float64Array.from(model.loadings.flat()), out);
  return out;
}
