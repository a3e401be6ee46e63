import type { Contributor } from "@consilium/gate/contributions";
import type { OneRecord } from "@consilium/gate/record";
import { type BinnedFeature, binOf } from "../../study/binning.js";
import {
  classes,
  type HistBoostStage,
  type HistBoostStudy,
  histBoostLayout,
  leafExponent,
} from "../../study/histBoost.js";
import type { LevelSplits } from "../trees/levels.js";
import { singleCut } from "../trees/tree.js";
import type { GrownTrees } from "./broadcastTrees.js";
import { weightOf } from "./weights.js";

/**
 * What one record adds to a stage of dp-histboost: its weight in sixteenths, from the trees before, at one entry (leaves) or at
 * one for each of its node's k features (a level).
 */
export function histBoostContributor(
  study: HistBoostStudy,
  stage: HistBoostStage,
  grown: GrownTrees,
): Contributor {
  const { features } = histBoostLayout(study);
  const trees = grown.finished.map(({ levels, leaves }) => ({ route: routeOf(levels, features), leaves }));
  const growing = routeOf(grown.levels, features);
  const { histogram } = stage;
  const unit = 2 ** leafExponent;
  const weigh = ({ values, label }: OneRecord) => {
    let margin = 0;
    for (const { route, leaves } of trees) margin += leaves[nodeOf(route, values)]!;
    return weightOf((label === 1 ? unit : -unit) * margin);
  };
  if (histogram === null) {
    return {
      kind: "histogram",
      write(record, cells, values) {
        cells[0] = nodeOf(growing, record.values) * classes + record.label;
        values[0] = weigh(record);
        return 1;
      },
    };
  }
  const { nodeFeatures, offsets } = histogram;
  return {
    kind: "histogram",
    write(record, cells, values) {
      const node = nodeOf(growing, record.values);
      const asked = nodeFeatures[node]!;
      const starts = offsets[node]!;
      const weight = weigh(record);
      for (let p = 0; p < asked.length; p++) {
        const feature = asked[p]!;
        cells[p] = starts[p]! + binOf(features[feature]!, record.values[feature]!) * classes + record.label;
        values[p] = weight;
      }
      return asked.length;
    },
  };
}

/** A tree's way down as flat arrays: of node v of level l, at 2^l - 1 + v. */
interface Route {
  readonly depth: number;
  /** -1 where a node is not split: its rows go left. */
  readonly features: Int32Array;
  /** A number goes left below this; of a nominal feature this level goes left. */
  readonly cuts: Float64Array;
  readonly nominal: Uint8Array;
}

function routeOf(levels: readonly LevelSplits[], features: readonly BinnedFeature[]): Route {
  const nodes = 2 ** levels.length - 1;
  const route = {
    depth: levels.length,
    features: new Int32Array(nodes).fill(-1),
    cuts: new Float64Array(nodes),
    nominal: new Uint8Array(nodes),
  };
  levels.forEach((splits, level) => {
    splits.forEach((split, v) => {
      if (split === null) return;
      const at = 2 ** level - 1 + v;
      const { kind, edges } = features[split.feature]!;
      const cut = singleCut(split);
      route.features[at] = split.feature;
      route.nominal[at] = kind === "nominal" ? 1 : 0;
      // Bin b of an ordered feature goes left up to the cut: x < edges[cut].
      route.cuts[at] = kind === "nominal" ? cut : edges[cut]!;
    });
  });
  return route;
}

function nodeOf({ depth, features, cuts, nominal }: Route, values: Float64Array): number {
  let node = 0;
  for (let level = 0; level < depth; level++) {
    const at = 2 ** level - 1 + node;
    const feature = features[at]!;
    node *= 2;
    if (feature === -1) continue;
    const value = values[feature]!;
    if (nominal[at] === 1 ? value !== cuts[at] : value >= cuts[at]!) node++;
  }
  return node;
}
