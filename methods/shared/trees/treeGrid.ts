import { type BinColumn, binColumn } from "@consilium/core/linalg/histograms";
import type { BinnedFeature } from "../columns/binning.js";
import { binsOf, type HistogramLayout, histogramLayout } from "./histograms.js";
import { quantileCuts } from "./quantileCuts.js";
import { type BoostingStage, channels, type SecondOrderSettings, sketchChannels } from "./secondOrder.js";
import { cutsLength, histogramFeatures, sketchedFeatures, treeFeatures } from "./treeMethod.js";

/**
 * The bins that a tree's histograms are made of: the declared ones, or what lies between the cuts that were chosen among
 * them. Splits are of declared bins all the same, so that a reader of a tree needs no cuts.
 */
export interface TreeGrid {
  /** Indices of the features that the tree may split on, ascending. */
  readonly chosen: readonly number[];
  /** Per feature the declared bins after which it is cut, ascending; null where every declared bin is one of the tree's. */
  readonly cuts: readonly (readonly number[] | null)[];
  /** Rows' bins of the tree. @param bins - per feature, their declared ones */
  binsOf(bins: readonly BinColumn[]): readonly BinColumn[];
}

/** How a stage's vector is laid out. */
export function boostingLayout(settings: SecondOrderSettings, stage: BoostingStage): HistogramLayout {
  const { features } = settings;
  if (stage.kind === "sketch")
    return histogramLayout(features, [sketchedFeatures(settings, stage.tree)], sketchChannels(settings));
  const chosen = treeFeatures(settings, stage.tree);
  const nodes = Array.from({ length: 2 ** stage.level }, () => chosen);
  return histogramLayout(histogramFeatures(settings), nodes, channels);
}

/**
 * @param cuts - as `encodedCuts` gives them; null where none are chosen
 * @throws RangeError when they are no ascending cuts of the features' bins
 */
export function treeGrid(settings: SecondOrderSettings, tree: number, cuts: Float64Array | null): TreeGrid {
  const chosen = treeFeatures(settings, tree);
  const byFeature: (readonly number[] | null)[] = settings.features.map(() => null);
  if (cuts === null) return { chosen, cuts: byFeature, binsOf: (bins) => bins };
  const histogram = histogramFeatures(settings);
  let at = 0;
  for (const f of sketchedFeatures(settings, tree)) {
    const room = histogram[f]!.bins - 1;
    byFeature[f] = decodedCuts(cuts.subarray(at, at + room), settings.features[f]!);
    at += room;
  }
  const maps = byFeature.map((own, f) => (own === null ? null : binMap(own, settings.features[f]!.bins)));
  return {
    chosen,
    cuts: byFeature,
    binsOf: (bins) =>
      bins.map((column, f) => {
        const map = maps[f]!;
        if (map === null) return column;
        const own = binColumn(histogram[f]!.bins, column.length);
        for (let r = 0; r < column.length; r++) own[r] = map[column[r]!]!;
        return own;
      }),
  };
}

function decodedCuts(values: Float64Array, { name, bins }: BinnedFeature): number[] {
  const filling = values.indexOf(-1);
  const cuts = [...(filling === -1 ? values : values.subarray(0, filling))];
  const isFilled = filling === -1 || values.subarray(filling).every((value) => value === -1);
  const ascends = cuts.every(
    (cut, i) => Number.isInteger(cut) && cut > (cuts[i - 1] ?? -1) && cut < bins - 1,
  );
  if (!isFilled || !ascends)
    throw new RangeError(`feature "${name}" has cuts that do not ascend within its bins`);
  return cuts;
}

/** Of each declared bin, how many cuts are below it. */
function binMap(cuts: readonly number[], bins: number): Uint16Array {
  const map = new Uint16Array(bins);
  let below = 0;
  for (let bin = 0; bin < bins; bin++) {
    if (below < cuts.length && bin > cuts[below]!) below++;
    map[bin] = below;
  }
  return map;
}

/** The cuts that XGBoost's rule chooses from a sketch's sums, as they are broadcast. */
export function encodedCuts(
  settings: SecondOrderSettings,
  stage: BoostingStage,
  sums: Float64Array,
): Float64Array {
  const layout = boostingLayout(settings, stage);
  const histogram = histogramFeatures(settings);
  const encoded = new Float64Array(cutsLength(settings, stage.tree)).fill(-1);
  let at = 0;
  sketchedFeatures(settings, stage.tree).forEach((f, position) => {
    const own = binsOf(sums, layout, 0, position);
    const isWeighted = layout.channels === 2;
    const rows = own.filter((_, i) => i % layout.channels === 0);
    const weights = isWeighted
      ? own.filter((_, i) => i % 2 === 1).map((value) => value * 2 ** -settings.gridExponent)
      : null;
    encoded.set(quantileCuts({ rows, weights }, settings.maxBin), at);
    at += histogram[f]!.bins - 1;
  });
  return encoded;
}
