import type { StageId } from "@consilium/core/ids";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { Study } from "@consilium/core/study/study";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import type { OneRecord } from "@consilium/gate/record";
import { Bins } from "../columns/binning.js";
import { type Divided, trainingCells } from "../records/evaluationRecords.js";
import { proposed } from "../records/proposal.js";
import { nodeOf, type Route, routeOf } from "../records/route.js";
import { channels, type SecondOrderSettings, type SecondOrderStage } from "./secondOrder.js";
import { addLeaf, baseMargin, gradientWriter } from "./secondOrderRecords.js";
import { type BroadcastTree, broadcastModel, openNodes, treesTold } from "./secondOrderVector.js";
import { boostingLayout } from "./treeGrid.js";

/**
 * What one record adds to a level of noisy second-order boosting: its (g, h) at one bin of each feature, at its node; nothing where
 * the node is not split any more.
 * @throws ConsiliumError BROADCAST_INVALID
 */
export function secondOrderContributor(options: {
  readonly settings: SecondOrderSettings;
  readonly stage: SecondOrderStage;
  readonly broadcasts: Broadcasts;
  /** Which records are held out. */
  readonly training: Divided;
}): () => Contributor {
  const { settings, stage, broadcasts, training } = options;
  const { features, positive } = settings;
  const model = broadcastModel(settings, stage, broadcasts);
  const open = openNodes(model.growing);
  const layout = boostingLayout(settings, stage);
  return () => {
    const growing = routeOf(model.growing, features);
    const marginOf = marginsOf(settings, model.trees);
    const write = gradientWriter(settings, stage.tree);
    const margin = new Float64Array(1);
    const pair = new Float64Array(channels);
    const bins = Bins.for(features);
    return trainingCells(training, (record, cells, values) => {
      const node = nodeOf(growing, record.values);
      if (!open[node]) return 0;
      margin[0] = marginOf(record);
      write(margin, 0, record.label === positive, pair, 0);
      const asked = layout.nodeFeatures[node]!;
      const starts = layout.offsets[node]!;
      for (let p = 0; p < asked.length; p++) {
        const feature = asked[p]!;
        cells[p] = starts[p]! / channels + bins.of(feature, record.values[feature]!);
        values[channels * p] = pair[0]!;
        values[channels * p + 1] = pair[1]!;
      }
      return asked.length;
    });
  };
}

/** What a record adds to a level, of records that all take part in training. @throws BROADCAST_INVALID */
export function noisySecondOrderProposal(
  options: Parameters<typeof secondOrderContributor>[0] & {
    readonly study: Study;
  },
): Proposal {
  const { study, stage } = options;
  return proposed(study, stage, secondOrderContributor(options));
}

/** Boosting by itself: nothing is held out. */
export const wholeTable: Divided = { evaluation: "none", seed: "" };

/**
 * What the whole ensemble says of a record, from everything that was broadcast: the log-odds of the positive class.
 * @param last - the stage that is told the last tree
 * @throws ConsiliumError BROADCAST_INVALID
 */
export function ensembleMargin(
  settings: SecondOrderSettings,
  broadcasts: Broadcasts,
  last: StageId,
): (record: OneRecord) => number {
  return marginsOf(settings, treesTold(settings, settings.trees, broadcasts, last));
}

function marginsOf(
  settings: SecondOrderSettings,
  trees: readonly BroadcastTree[],
): (record: OneRecord) => number {
  const own = trees.map(({ levels, leaves }): { route: Route; leaves: Float64Array } => ({
    route: routeOf(levels, settings.features),
    leaves,
  }));
  const base = baseMargin(settings);
  return ({ values }) => {
    let margin = base;
    for (const { route, leaves } of own) margin = addLeaf(settings, margin, leaves[nodeOf(route, values)]!);
    return margin;
  };
}
