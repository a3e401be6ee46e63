import type { PcaMoments } from "../learning/normalise.js";
import { designColumns } from "../study/design.js";
import type { DpPcaStudy } from "../study/dpPca.js";
import type { DpPcaBall } from "../study/dpPcaBall.js";
import type { Feature } from "../study/features.js";
import type { PaperPcaStudy } from "../study/pca.js";
import type { Figure } from "./figures.js";
import type { LinearMapPredictor } from "./predictor.js";
import { inputColumn } from "./treePredictor.js";

/** What a reader gets of a PCA besides the model: a map to run, and figures. */

/** A larger matrix is in model.json alone: twice would be more than a deposit takes. */
const matrixMost = 2 ** 18;
/** With more inputs a runtime takes minutes to load the model. */
const inputsMost = 2 ** 14;

const isSmall = (study: DpPcaStudy | PaperPcaStudy, loadings: Float64Array) =>
  loadings.length <= matrixMost && study.features.length <= inputsMost;

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

function mapParts(study: DpPcaStudy | PaperPcaStudy, loadings: Float64Array, columns: number) {
  return {
    kind: "linear-map" as const,
    inputs: study.features.map((feature) => inputColumn(feature, [])),
    matrix: Array.from(loadings),
    outputs: Array.from({ length: loadings.length / columns }, (_, i) => `pc${i + 1}`),
  };
}

const screeMost = 100;
const loadingsShown = 20;
const componentsShown = 3;

/**
 * A scree plot, and of each of the first three components the columns that weigh most in it.
 * @param options.eigenvalues - [k]
 * @param options.loadings - [k × d] row-major
 * @param options.hasNoise - whether the covariance carries noise
 */
export function pcaFigures(options: {
  readonly features: readonly Feature[];
  readonly eigenvalues: Float64Array;
  readonly loadings: Float64Array;
  readonly hasNoise: boolean;
}): Figure[] {
  const { features, eigenvalues, loadings, hasNoise } = options;
  const columns = designColumns(features);
  const scree: Figure = {
    kind: "curves",
    name: "scree",
    title: `Scree plot: eigenvalues${hasNoise ? ", which carry the noise" : ""}`,
    xLabel: "component",
    yLabel: "eigenvalue",
    series: [
      {
        label: "eigenvalue",
        style: "line-points",
        points: Array.from(eigenvalues.subarray(0, screeMost), (y, i) => ({
          x: i + 1,
          y,
          low: null,
          high: null,
        })),
      },
    ],
  };
  const shown = Math.min(componentsShown, eigenvalues.length);
  const components = Array.from({ length: shown }, (_, i): Figure => {
    const own = loadings.subarray(i * columns.length, (i + 1) * columns.length);
    const bars = columns
      .map(({ name }, j) => ({ label: name, value: own[j]!, low: null, high: null }))
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
      .slice(0, loadingsShown);
    return {
      kind: "bars",
      name: `loadings-${i + 1}`,
      title: `What component ${i + 1} is made of`,
      valueLabel: "loading, from -1 to 1",
      bars,
    };
  });
  return [scree, ...components];
}
