import type { LinearMapPredictor } from "@consilium/core/release/predictor";
import { designColumns } from "@consilium/core/study/design";
import { isSmall, mapParts } from "../shared/pca/pcaExports.js";
import type { DpPcaBall } from "./ball.js";
import type { DpPcaStudy } from "./study.js";

/**
 * The map of dp-pca: (u - c0)/R of the row u mapped to 0 to 1 by the declared bounds, cut to length 1, onto the components.
 * @param ball - c0 and R, as declared or chosen
 * @param loadings - [k × d] row-major
 * @returns null where the matrix has more than 2^18 entries, or the study more than 2^14 features
 */
export function dpPcaPredictor(
  study: DpPcaStudy,
  ball: DpPcaBall,
  loadings: Float64Array,
): LinearMapPredictor | null {
  if (!isSmall(study, loadings)) return null;
  const { centre, radius } = ball;
  const columns = designColumns(study.features);
  return {
    ...mapParts(study, loadings, columns.length),
    subtract: columns.map(({ min, max }, j) => min + centre[j]! * (max - min)),
    divide: columns.map(({ min, max }) => (max - min) * radius),
    norm: "at-most-one",
  };
}
