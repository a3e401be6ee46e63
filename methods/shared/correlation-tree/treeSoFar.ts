import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { BinColumn } from "@consilium/core/linalg/histograms";
import { nameOf } from "@consilium/core/said";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { type BinnedFeature, binBlock } from "../columns/binning.js";
import { notSent } from "../plans/broadcastFaults.js";
import { decodeSplits, descend, type LevelSplits } from "../trees/levels.js";
import { splitsName, treeStages } from "./treeStudy.js";

const fault = faults<BroadcastSays>();

/**
 * The tree as a site was told of it so far, and where its rows stand in it. A path asks each attribute once, whatever the
 * aggregator broadcasts.
 */

/**
 * The splits of the levels above one.
 * @param level - the level that is asked for; h for the leaves
 * @throws ConsiliumError FIELD_INVALID where splits are missing, BROADCAST_INVALID where they are none of this method's
 */
export function levelsAbove(
  broadcasts: Broadcasts,
  level: number,
  depth: number,
  features: readonly BinnedFeature[],
): LevelSplits[] {
  const levels = Array.from({ length: level }, (_, above) => {
    const told = above + 1 === depth ? treeStages.leaves : treeStages.level(above + 1);
    const values = broadcasts.get(told)?.[splitsName];
    if (values === undefined) throw notSent(told, splitsName);
    if (values.length !== 2 ** (above + 1))
      throw fault("BROADCAST_INVALID", "broadcast.nodes", {
        stage: told,
        nodes: values.length / 2,
        expected: null,
      });
    return decoded(values, features, told);
  });
  checkPaths(levels, features);
  return levels;
}

function decoded(values: Float64Array, features: readonly BinnedFeature[], told: string): LevelSplits {
  try {
    return decodeSplits(values, features);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new ConsiliumError("BROADCAST_INVALID", `stage ${told}: ${thrown.message}`, { cause: thrown });
  }
}

function checkPaths(levels: readonly LevelSplits[], features: readonly BinnedFeature[]): void {
  const last = levels.at(-1);
  last?.forEach((split, node) => {
    const asked = askedAbove(levels, levels.length - 1, node);
    if (split !== null) asked.push(split.feature);
    const twice = asked.find((feature, i) => asked.indexOf(feature) !== i);
    if (twice !== undefined)
      throw fault("BROADCAST_INVALID", "broadcast.feature-twice", { feature: nameOf(features[twice]!.name) });
  });
}

/** Features that the path down to a node asks, from the node's parent up. */
export function askedAbove(levels: readonly LevelSplits[], level: number, node: number): number[] {
  const asked: number[] = [];
  for (let above = level - 1, at = node >> 1; above >= 0; above--, at >>= 1) {
    const split = levels[above]![at]!;
    if (split !== null) asked.push(split.feature);
  }
  return asked;
}

/** A block's rows by the bins of each feature, and by the node that each stands at. */
export interface PlacedRows {
  readonly bins: readonly BinColumn[];
  readonly nodes: Uint16Array;
}

export function placedRows(
  block: ColumnBlock,
  levels: readonly LevelSplits[],
  features: readonly BinnedFeature[],
): PlacedRows {
  const bins = binBlock(block, features);
  const nodes = new Uint16Array(block.rows);
  for (const splits of levels) descend(nodes, splits, features, bins);
  return { bins, nodes };
}
