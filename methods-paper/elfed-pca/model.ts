import { designColumns } from "@consilium/core/study/design";
import {
  designValue,
  modelColumnSchema,
  modelColumns,
  type RawRow,
} from "@consilium/methods/shared/columns/modelColumns";
import { projectInto } from "@consilium/methods/shared/pca/projectInto";
import type { PrincipalSubspace } from "@consilium/methods/shared/pca/subspace";
import { z } from "zod";
import { sharedStdDev } from "./covariance.js";
import { partialRank } from "./dpdis.js";
import { pcaZeroThresholds } from "./moments.js";
import { normaliseRow, type PcaMoments } from "./normalise.js";
import type { PaperPcaStudy } from "./study.js";

export const pcaModelSchema = z
  .strictObject({
    format: z.literal("consilium-pca-model/1"),
    analysis: z.literal("pca"),
    method: z.enum(["elfed-pca", "dpdis-pca"]),
    variant: z.literal("paper"),
    /** k. */
    components: z.int().min(1),
    /** The d design columns, in the order of `mean` and of each row of `loadings`. */
    columns: z.array(modelColumnSchema).min(1),
    /** `declared`: numeric values are mapped to (value - min) / (max - min) first. */
    scale: z.enum(["none", "declared"]),
    /** [d] in units of the analysis, subtracted from each row. */
    mean: z.array(z.number()),
    /** [d] a centred row within these distances of 0 in every column stays zero instead of being scaled to length 1. */
    zeroThreshold: z.array(z.number()),
    /** [k][d] orthonormal rows. */
    loadings: z.array(z.array(z.number())),
    /** [k] signed, by descending magnitude. */
    eigenvalues: z.array(z.number()),
    /** [k] max(eigenvalue, 0). */
    explainedVariance: z.array(z.number()),
    /** [k] as a part of all positive eigenvalues. */
    explainedVarianceRatio: z.array(z.number()),
    /** Rows over all sites. */
    rows: z.int().min(2),
    sites: z.int().min(1),
    /** How each site's scatter was divided: by n-1, by N_i-1, or by N_i (`dpdis-pca`). */
    scaling: z.enum(["pooled", "site", "site-rows"]),
    noise: z.strictObject({
      /** `shared`: one matrix from a seed that all sites hold. `per-site`: each site its own. */
      kind: z.enum(["none", "shared", "per-site"]),
      /** τ of the covariance's entries; null where it depends on each site's own number of rows. */
      stdDev: z.number().nullable(),
      epsilon: z.number().nullable(),
      delta: z.number().nullable(),
    }),
    /** R of `dpdis-pca`, the components that each site sends; null for `elfed-pca`. */
    partialRank: z.int().nullable(),
    solver: z.string(),
  })
  .refine(
    (m) =>
      m.mean.length === m.columns.length &&
      m.zeroThreshold.length === m.columns.length &&
      m.loadings.length === m.components &&
      m.loadings.every((row) => row.length === m.columns.length) &&
      [m.eigenvalues, m.explainedVariance, m.explainedVarianceRatio].every((v) => v.length === m.components),
    "the lengths of mean, loadings and eigenvalues do not fit columns and components",
  );

export type PcaModel = z.output<typeof pcaModelSchema>;

/**
 * The model of a finished study.
 * @param moments - as broadcast after the stage `moments`
 * @param subspace - the leading components of the covariance (or of the mean partial subspace)
 * @param sites - number of sites in the sums
 */
export function pcaModel(options: {
  readonly study: PaperPcaStudy;
  readonly moments: PcaMoments;
  readonly subspace: PrincipalSubspace;
  readonly sites: number;
}): PcaModel {
  const { study, moments, subspace, sites } = options;
  const d = designColumns(study.features).length;
  const k = subspace.eigenvalues.length;
  const shared = study.method === "elfed-pca";
  const privacy = study.privacy === "none" ? null : study.privacy;
  return pcaModelSchema.parse({
    format: "consilium-pca-model/1",
    analysis: "pca",
    method: study.method,
    variant: study.variant,
    components: k,
    columns: modelColumns(study.features),
    scale: study.parameters.scale,
    mean: Array.from(moments.mean),
    zeroThreshold: Array.from(pcaZeroThresholds(study, moments.n, sites)),
    loadings: Array.from({ length: k }, (_, i) => Array.from(subspace.loadings.subarray(i * d, (i + 1) * d))),
    eigenvalues: Array.from(subspace.eigenvalues),
    explainedVariance: Array.from(subspace.explainedVariance),
    explainedVarianceRatio: Array.from(subspace.explainedVarianceRatio),
    rows: moments.n,
    sites,
    scaling: shared ? study.parameters.scaling : "site-rows",
    noise: {
      kind: privacy === null ? "none" : shared ? "shared" : "per-site",
      stdDev: privacy === null ? 0 : shared ? sharedStdDev(study, moments.n) : null,
      epsilon: privacy?.epsilon ?? null,
      delta: privacy?.delta ?? null,
    },
    partialRank: shared ? null : partialRank(study),
    solver: subspace.solver,
  });
}

/**
 * Reduces one new row exactly as the sites reduced theirs.
 * @param raw - by source column; columns that the model does not name are ignored
 * @returns [k], of length at most 1
 * @throws ConsiliumError COLUMN_MISSING, VALUE_MISSING, COLUMN_TYPE, VALUE_NOT_FINITE or LEVEL_UNDECLARED, naming
 *   the column and never the value
 */
export function projectRow(model: PcaModel, raw: RawRow): Float64Array {
  const row = Float64Array.from(model.mean, (centre, j) => analysisValue(model, raw, j) - centre);
  normaliseRow(row, Float64Array.from(model.zeroThreshold));
  const out = new Float64Array(model.components);
  projectInto(row, Float64Array.from(model.loadings.flat()), out);
  return out;
}

function analysisValue(model: PcaModel, raw: RawRow, index: number): number {
  const column = model.columns[index]!;
  const value = designValue(model.columns, raw, index);
  return column.level === null && model.scale === "declared"
    ? (value - column.min) / (column.max - column.min)
    : value;
}
