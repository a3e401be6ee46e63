import type { StageId } from "@consilium/core/ids";
import { anyTable, type SiteSide } from "@consilium/core/method/siteSide";
import { sentences } from "@consilium/core/said";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { Proposal } from "@consilium/gate/fold";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { cellOf } from "../shared/columns/counted.js";
import { invalidBroadcast, noStage } from "../shared/plans/broadcastFaults.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import {
  asSyntheticTable,
  pairsStageId,
  type SyntheticTableLayout,
  type SyntheticTableStudy,
  syntheticTableLayout,
  tablesStageId,
  treeName,
} from "./study.js";

/** Synthetic rows at a site: each record is one cell of every table. */
export const site: SiteSide = {
  // That a site takes part, and with how many rows, must show in nothing but the noisy sums.
  demands: () => anyTable,
  proposal: (id, input) => syntheticTableProposal(asSyntheticTable(input.study), id, input),
};

/**
 * What a record adds: its table's weight to one cell of every table. L2 sensitivity under add-remove: √Σw²
 * (docs/METHODS.md#synthetic-table-proof), whatever tree is broadcast.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no stage of the study, BROADCAST_INVALID
 */
export function syntheticTableProposal(
  study: SyntheticTableStudy,
  id: StageId,
  { broadcasts }: ToldInput,
): Proposal {
  const layout = syntheticTableLayout(study);
  if (id === tablesStageId) return tablesProposal(study, layout, broadcasts);
  if (id === pairsStageId && layout.pairs !== null) return pairsProposal(study, layout, layout.pairs);
  throw noStage("synthetic-table", id);
}

function pairsProposal(
  study: SyntheticTableStudy,
  { columns }: SyntheticTableLayout,
  { stage, tables }: NonNullable<SyntheticTableLayout["pairs"]>,
): Proposal {
  return proposed(study, stage, () => {
    const own = new Int32Array(columns.length);
    return {
      kind: "histogram",
      write({ values }, cells, added) {
        for (let c = 0; c < columns.length; c++) {
          const column = columns[c]!;
          own[c] = column.coarseOf[cellOf(column, values[c]!)]!;
        }
        for (let p = 0; p < tables.length; p++) {
          const { columns: of, offset, weight } = tables[p]!;
          cells[p] = offset + own[of[0]]! * columns[of[1]]!.coarse + own[of[1]]!;
          added[p] = weight;
        }
        return tables.length;
      },
    };
  });
}

function tablesProposal(
  study: SyntheticTableStudy,
  layout: SyntheticTableLayout,
  broadcasts: Broadcasts,
): Proposal {
  const { columns, margins, joints, stage } = layout;
  const parents = parentsTold(layout, broadcasts);
  return proposed(study, stage, () => {
    const own = new Int32Array(columns.length);
    return {
      kind: "histogram",
      write({ values }, cells, added) {
        for (let c = 0; c < columns.length; c++) {
          own[c] = cellOf(columns[c]!, values[c]!);
          cells[c] = margins[c]!.offset + own[c]!;
          added[c] = margins[c]!.weight;
        }
        let touched = columns.length;
        for (let c = 0; c < columns.length; c++) {
          const joint = joints[c]!;
          if (joint === null) continue;
          cells[touched] = joint.offset + own[parents[c]!]! * columns[c]!.cells + own[c]!;
          added[touched] = joint.weight;
          touched++;
        }
        return touched;
      },
    };
  });
}

/**
 * Each column's parent, -1 of the root. That it is a tree is the aggregator's affair: a record adds to one cell of each table whichever
 * columns are told.
 * @throws ConsiliumError BROADCAST_INVALID where a parent is no other column
 */
function parentsTold({ columns, root, pairs }: SyntheticTableLayout, broadcasts: Broadcasts): Int32Array {
  if (pairs === null) return Int32Array.from(columns, (_, c) => (c === root ? -1 : root));
  const told = broadcasts.get(tablesStageId)?.[treeName];
  const isParent = (parent: number, c: number) =>
    c === root
      ? parent === -1
      : Number.isInteger(parent) && parent >= 0 && parent < columns.length && parent !== c;
  if (told === undefined || told.length !== columns.length || !told.every(isParent))
    throw invalidBroadcast(
      tablesStageId,
      sentences<BroadcastSays>()("broadcast.parents", { columns: columns.length }),
    );
  return Int32Array.from(told);
}
