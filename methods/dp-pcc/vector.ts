import type { StageId } from "@consilium/core/ids";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import { Bins } from "../shared/columns/binning.js";
import { lastProposal } from "../shared/correlation-tree/lastProposal.js";
import { levelsAbove } from "../shared/correlation-tree/treeSoFar.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { trainingCells } from "../shared/records/evaluationRecords.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import { nodeOf, routeOf } from "../shared/records/route.js";
import { type DpPccLayout, type DpPccStudy, dpPccLayout } from "./study.js";

/**
 * What a record adds to a stage of dp-pcc: integers without noise. At a level a record adds 1 at (its node, attribute, its
 * bin, its class) for each of the m attributes: L2 sensitivity √m under add-remove. At the leaves it adds a single 1.
 * Its length depends on public numbers alone; an empty table is zeros.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no stage of the study, FIELD_INVALID or BROADCAST_INVALID before a row is
 *   read
 */
export function dpPccProposal(study: DpPccStudy, id: StageId, input: ToldInput): Proposal {
  const layout = dpPccLayout(study);
  const { levels, leaves, evaluation } = layout;
  if (id === leaves.id || id === evaluation?.id) return lastProposal(study, layout, id, input);
  const level = levels.findIndex(({ stage }) => stage.id === id);
  if (level === -1) throw noStage("dp-pcc", id);
  const contributor = levelContributor(study, layout, level, input);
  return proposed(study, levels[level]!.stage, contributor);
}

function levelContributor(
  study: DpPccStudy,
  { features, classes, levels }: DpPccLayout,
  level: number,
  { broadcasts }: ToldInput,
): () => Contributor {
  const { offsets } = levels[level]!.histogram;
  const above = levelsAbove(broadcasts, level, levels.length, features);
  return () => {
    const route = routeOf(above, features);
    const bins = Bins.for(features);
    return trainingCells(study.parameters, (record, cells, values) => {
      const starts = offsets[nodeOf(route, record.values)]!;
      for (let f = 0; f < features.length; f++) {
        cells[f] = starts[f]! + bins.of(f, record.values[f]!) * classes + record.label;
        values[f] = 1;
      }
      return features.length;
    });
  };
}
