import type { StageId } from "@consilium/core/ids";
import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import type { Proposal } from "@consilium/gate/fold";
import { type BinnedFeature, binOf } from "../shared/columns/binning.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { proposed } from "../shared/records/proposal.js";
import { asSurvival, type SurvivalStudy, survivalLayout } from "./study.js";

/** Survival at a site: each record is one 1, at its group, at how its follow-up ended, and its interval. */
export const site: SiteSide = {
  // That a site takes part, and with how many rows, must show in nothing but the noisy sum.
  demands: () => anyTable,
  proposal: (id, { study }) => survivalProposal(asSurvival(study), id),
};

/**
 * Proposal of a record: one count. From the horizon on a record is censored there, whatever its status: a site reads later times as the horizon.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no stage of the study
 */
export function survivalProposal(study: SurvivalStudy, id: StageId): Proposal {
  const { timeAt, time, edges, groupAt, streams, causes, stage } = survivalLayout(study);
  if (id !== stage.id) throw noStage("survival", id, null);
  const run = edges.length;
  const horizon = edges[run - 1]!;
  return proposed(study, stage, () => ({
    kind: "histogram",
    write({ values, label }, cells, added) {
      const t = values[timeAt]!;
      const group = groupAt === null ? 0 : values[groupAt]!;
      const isBeyond = t >= horizon;
      const stream = group * (1 + causes.length) + (isBeyond ? 0 : streams[label!]!);
      cells[0] = stream * run + (isBeyond ? run - 1 : closedBinOf(time, t));
      added[0] = 1;
      return 1;
    },
  }));
}

/** The interval that holds a time, its end with it: how many edges are below. */
function closedBinOf(time: BinnedFeature, t: number): number {
  const bin = binOf(time, t);
  return bin > 0 && time.edges[bin - 1] === t ? bin - 1 : bin;
}
