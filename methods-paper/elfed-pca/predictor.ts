import type { LinearMapPredictor } from "@consilium/core/release/predictor";
import { designColumns } from "@consilium/core/study/design";
import { isSmall, mapParts } from "@consilium/methods/shared/pca/pcaExports";
import type { PcaMoments } from "./normalise.js";
import type { PaperPcaStudy } from "./study.js";

/**
 * The map of elfed-pca and dpdis-pca: the row less the mean, at length 1, onto the components. A row that differs from the mean
 * by rounding alone is zero to the sites; here it has a direction.
 * @param loadings - [k × d] row-major
 * @returns null where the matrix has more than 2^18 entries, or the study more than 2^14 features
 */
export function paperPcaPredictor(
  study: PaperPcaStudy,
  moments: PcaMoments,
  loadings: Float64Array,
): LinearMapPredictor | null {
  if (!isSmall(study, loadings)) return null;
  const columns = designColumns(study.features);
  const isScaled = study.parameters.scale === "declared";
  return {
    ...mapParts(study, loadings, columns.length),
    subtract: columns.map(({ min, max }, j) =>
      isScaled ? min + moments.mean[j]! * (max - min) : moments.mean[j]!,
    ),
    divide: columns.map(({ min, max }) => (isScaled ? max - min : 1)),
    norm: "unit",
  };
}
