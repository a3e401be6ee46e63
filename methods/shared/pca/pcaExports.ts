import type { Figure } from "@consilium/core/release/figures";
import { designColumns } from "@consilium/core/study/design";
import type { Feature } from "@consilium/core/study/features";
import type { Study } from "@consilium/core/study/study";
import { inputColumn } from "../release/treePredictor.js";

/** What a reader gets of a PCA besides the model: a map to run, and figures. */

/** A larger matrix is in model.json alone: twice would be more than a deposit takes. */
const matrixMost = 2 ** 18;
/** With more inputs a runtime takes minutes to load the model. */
const inputsMost = 2 ** 14;

export const isSmall = (study: Pick<Study, "features">, loadings: Float64Array) =>
  loadings.length <= matrixMost && study.features.length <= inputsMost;

export function mapParts(study: Pick<Study, "features">, loadings: Float64Array, columns: number) {
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
    const mirrors = mirrorsOf(columns, own);
    const bars = columns
      .map(({ name }, j) => ({ label: name, value: own[j]!, low: null, high: null }))
      .filter((_, j) => !mirrors.has(j))
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
      .slice(0, loadingsShown);
    return {
      kind: "bars",
      name: `loadings-${i + 1}`,
      title: `What component ${i + 1} is made of`,
      valueLabel:
        mirrors.size === 0
          ? "loading, from -1 to 1"
          : "loading, from -1 to 1; of two levels that mirror each other the first",
      bars,
    };
  });
  return [scree, ...components];
}

/** Two levels' loadings are opposite but for noise, which makes them differ by at most this part. */
const mirroredWithin = 0.1;

/** Second columns of features with two columns, where they say the same as the first with the other sign. */
function mirrorsOf(columns: readonly { readonly feature: number }[], own: Float64Array): ReadonlySet<number> {
  const mirrors = new Set<number>();
  columns.forEach(({ feature }, j) => {
    const isPair =
      columns[j - 1]?.feature === feature && columns.filter((one) => one.feature === feature).length === 2;
    if (!isPair) return;
    const [first, second] = [own[j - 1]!, own[j]!];
    if (Math.abs(first + second) <= mirroredWithin * Math.max(Math.abs(first), Math.abs(second)))
      mirrors.add(j);
  });
  return mirrors;
}
