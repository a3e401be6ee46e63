import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import type { Proposal } from "@consilium/gate/fold";
import { binOf } from "../shared/columns/binning.js";
import { proposed } from "../shared/records/proposal.js";
import { asSurvival, groupCells, type SurvivalStudy, survivalLayout } from "./study.js";

/** Survival at a site: each record is one 1, at its group, its interval and whether it has the event. */
export const site: SiteSide = {
  // That a site takes part, and with how many rows, must show in nothing but the noisy sum.
  demands: () => anyTable,
  proposal: (id, { study }) => survivalProposal(asSurvival(study), id),
};

/**
 * What a record adds: Δ = 1. From the horizon on a record is censored there, whatever its status.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no stage of the study
 */
export function survivalProposal(study: SurvivalStudy, id: StageId): Proposal {
  const { timeAt, time, edges, groupAt, event, stage } = survivalLayout(study);
  if (id !== stage.id) throw new ConsiliumError("MESSAGE_UNEXPECTED", `survival has no stage ${id}`);
  const intervals = edges.length - 1;
  const horizon = edges[intervals]!;
  return proposed(study, stage, () => ({
    kind: "histogram",
    write({ values, label }, cells, added) {
      const t = values[timeAt]!;
      const group = groupAt === null ? 0 : values[groupAt]!;
      const within = t >= horizon ? 2 * intervals : 2 * binOf(time, t) + (label === event ? 1 : 0);
      cells[0] = group * groupCells(intervals) + within;
      added[0] = 1;
      return 1;
    },
  }));
}
